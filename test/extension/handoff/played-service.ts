/** A delivery service without a runtime: it knows each key once, and judges by proof alone. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { CHAT } from '../worker/chat.ts';
import { view } from './fixtures.ts';

interface Dispatch {
  view: DispatchView;
  command: ActuationCommand;
  claimant: string | null;
}

export class PlayedService {
  /** By the key under which each was begun. */
  readonly dispatches = new Map<string, Dispatch>();
  readonly #space: string | null;
  readonly #now: () => number;

  /** `space`: the address of the Project in which chats are begun. */
  constructor(space: string | null, now: () => number) {
    this.#space = space;
    this.#now = now;
  }

  begin(key: string, message: string): { view: DispatchView; replayed: boolean } {
    const known = this.dispatches.get(key);
    if (known) return { view: known.view, replayed: true };
    const number = String(this.dispatches.size + 1);
    const dispatch_id = `bd_${number.repeat(64).slice(0, 64)}`;
    const command: ActuationCommand = {
      protocol: 'herdr-browser-actuation/v1',
      actuation_id: `ba_${number.padStart(16, '0')}`,
      dispatch_id,
      operation: 'session.create',
      provider: 'chatgpt',
      expected_generation: 1,
      account_ref: `br_${'c'.repeat(64)}`,
      session: null,
      space: this.#space === null ? null : { space_ref: 'br_space', canonical_url: this.#space },
      source_url: CHAT,
      message,
    };
    const made = { view: view({ dispatch_id, created_at_ms: this.#now() }), command, claimant: null };
    this.dispatches.set(key, made);
    return { view: made.view, replayed: false };
  }

  /** Actuations that no browser has taken. */
  waiting(): string[] {
    return [...this.dispatches.values()].filter(isOpen).map(({ command }) => command.actuation_id);
  }

  find(dispatchId: string): DispatchView | undefined {
    return [...this.dispatches.values()].find((one) => one.view.dispatch_id === dispatchId)?.view;
  }

  /** The command, for the first who asks and for nobody else. */
  claim(actuation: string, claimant: string): ActuationCommand | null {
    const one = this.#byActuation(actuation);
    if (one === undefined || (one.claimant !== null && one.claimant !== claimant)) return null;
    one.claimant = claimant;
    return one.command;
  }

  /** What became of it by this evidence; undefined: nobody knows the actuation. */
  report(actuation: string, evidence: Evidence): DispatchView | undefined {
    const one = this.#byActuation(actuation);
    if (one?.view.delivery_state !== 'uncertain') return one?.view;
    const planned = { operation: 'session.create', expectedGeneration: 1, sessionRef: '' } as const;
    const { delivery, execution, reason } = judge(planned, evidence);
    one.view = {
      ...one.view,
      delivery_state: delivery,
      execution_state: execution,
      reason,
      session_ref: evidence.session_ref ?? null,
      canonical_url: evidence.canonical_url ?? null,
    };
    return one.view;
  }

  /** A handoff is over: what no browser has taken is withdrawn, also when it was never begun. */
  end(given: string, dispatchId: string | null, message: string): DispatchView {
    const known = [...this.dispatches].find(([key, one]) => key === given || one.view.dispatch_id === dispatchId);
    const key = known?.[0] ?? given;
    if (known === undefined) this.begin(key, message);
    const one = this.dispatches.get(key) as Dispatch;
    if (isOpen(one))
      one.view = { ...one.view, delivery_state: 'stopped', execution_state: 'stopped', reason: 'withdrawn' };
    return one.view;
  }

  #byActuation(actuation: string): Dispatch | undefined {
    return [...this.dispatches.values()].find(({ command }) => command.actuation_id === actuation);
  }
}

const isOpen = ({ claimant, view: { delivery_state } }: Dispatch): boolean =>
  claimant === null && delivery_state === 'uncertain';
