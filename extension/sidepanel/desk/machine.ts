/**
 * What a person is doing to panes, and how sure it is what became of it. Pure: `(desk, event) → (desk, effects)`. The desk is
 * written down before anything is sent, so a panel that is closed in the middle finds there what it was about to do. What
 * may have arrived is never sent again: it is looked up under its key, and until that is known nothing else is sent there.
 * A person who has looked may know what nobody else does; while the runtime says that it still runs, that holds.
 */
import type { ControlAnswer, ControlTarget, LookupAnswer } from '../../../contract/control/index.ts';
import { ACTS_KEPT, IN_FLIGHT_MS } from './limits.ts';

export type WriteAction = 'agent_prompt' | 'terminal_input' | 'interrupt';

/** One thing that was done to one pane. */
export interface Act {
  key: string;
  action: WriteAction;
  target: ControlTarget;
  /** What was typed; empty once it is known where it is. */
  text: string;
  /**
   * `sending`: it is on its way. `uncertain`: it may have arrived. `looking`: what became of it is asked. `done`: known,
   * see the answer. `absent`: it certainly never arrived, and may be sent under its own key.
   */
  phase: 'sending' | 'uncertain' | 'looking' | 'done' | 'absent';
  /** The runtime's own words; null while there are none. */
  answer: ControlAnswer | null;
  /** The runtime still runs it. */
  running: boolean;
  /** The person has looked and wants it put away; the runtime is asked once more, and its own knowledge counts. */
  putAway?: boolean;
  at: number;
}

/** By pane. */
export interface Desk {
  acts: Readonly<Record<string, Act>>;
}

export const EMPTY_DESK: Desk = { acts: {} };

export type DeskEvent =
  | { type: 'send'; action: WriteAction; target: ControlTarget; text: string; key: string; at: number }
  /** Null: no answer came back, from nobody. */
  | { type: 'answered'; key: string; answer: ControlAnswer | null }
  | { type: 'look'; pane: string }
  | { type: 'looked'; key: string; found: LookupAnswer | null; at: number }
  /** The person has read what became of it, or has looked at the pane. */
  | { type: 'dismiss'; pane: string }
  /** A panel has opened, or some time has passed. */
  | { type: 'reopened' };

export type DeskEffect = { type: 'post'; act: Act } | { type: 'lookup'; key: string };

export interface DeskStep {
  desk: Desk;
  effects: readonly DeskEffect[];
}

/** Nothing else may be sent to this pane while that stands. */
export const isOpen = ({ phase }: Act): boolean => phase === 'sending' || phase === 'uncertain' || phase === 'looking';

/** Words that were not typed and stand in the field again: only in a field of their kind, a prompt never in a shell's. */
export const wordsBack = (act: Act | undefined, action: WriteAction): string =>
  act === undefined || isOpen(act) || act.action !== action ? '' : act.text;

export function deskStep(desk: Desk, event: DeskEvent): DeskStep {
  switch (event.type) {
    case 'send':
      return send(desk, event);
    case 'answered':
      return changing(desk, event.key, (act) => (isOpen(act) ? answered(act, event.answer) : act));
    case 'looked': {
      const step = changing(desk, event.key, (act) => looked(act, event));
      const act = Object.values(step.desk.acts).find(({ key }) => key === event.key);
      if (!act?.putAway || act.phase === 'looking') return step;
      // Nobody knows more than the person who has looked; else what is known is shown, and a person reads that.
      const isOver = act.phase === 'uncertain' && !act.running;
      return {
        desk: isOver ? without(step.desk, act) : withAct(step.desk, { ...act, putAway: false }),
        effects: step.effects,
      };
    }
    case 'look': {
      const act = desk.acts[event.pane];
      if (act?.phase !== 'uncertain') return { desk, effects: [] };
      return { desk: withAct(desk, { ...act, phase: 'looking' }), effects: [{ type: 'lookup', key: act.key }] };
    }
    case 'dismiss': {
      const act = desk.acts[event.pane];
      if (!act || act.phase === 'sending' || act.phase === 'looking') return { desk, effects: [] };
      if (act.phase !== 'uncertain') return { desk: without(desk, act), effects: [] };
      const asked: Act = { ...act, phase: 'looking', putAway: true };
      return { desk: withAct(desk, asked), effects: [{ type: 'lookup', key: act.key }] };
    }
    case 'reopened': {
      // Who asked has perhaps gone with its panel. Asking what became of it acts on nothing.
      const open = Object.values(desk.acts).filter(({ phase }) => phase === 'sending' || phase === 'looking');
      return { desk, effects: open.map(({ key }) => ({ type: 'lookup', key })) };
    }
  }
}

function send(desk: Desk, { action, target, text, key, at }: Extract<DeskEvent, { type: 'send' }>): DeskStep {
  const before = desk.acts[target.pane_id];
  if (before && isOpen(before)) return { desk, effects: [] };
  const same =
    before?.phase === 'absent' &&
    before.action === action &&
    before.text === text &&
    before.target.target_revision === target.target_revision;
  // Should the first one arrive after all, the same key makes both one.
  const act: Act = {
    key: same ? before.key : key,
    action,
    target,
    text,
    phase: 'sending',
    answer: null,
    running: false,
    at,
  };
  return { desk: withAct(desk, act), effects: [{ type: 'post', act }] };
}

function answered(act: Act, answer: ControlAnswer | null): Act {
  if (answer === null || answer.outcome === 'uncertain') return { ...act, phase: 'uncertain', answer, running: false };
  const typed = answer.delivery_phase !== 'not_submitted';
  // What was not typed stands in the field again.
  return { ...act, phase: 'done', answer, running: false, text: typed ? '' : act.text };
}

function looked(act: Act, { found, at }: Extract<DeskEvent, { type: 'looked' }>): Act {
  if (!isOpen(act)) return act;
  if (found?.state === 'settled') return answered(act, { ...found.answer, target: act.target });
  const young = act.phase === 'sending' && at - act.at < IN_FLIGHT_MS;
  if (young) return act;
  if (found === null) return { ...act, phase: 'uncertain', running: false };
  if (found.state === 'running') return { ...act, phase: 'uncertain', running: true };
  return { ...act, phase: 'absent', running: false };
}

function changing(desk: Desk, key: string, change: (act: Act) => Act): DeskStep {
  const act = Object.values(desk.acts).find((one) => one.key === key);
  if (!act) return { desk, effects: [] };
  const next = change(act);
  return { desk: next === act ? desk : withAct(desk, next), effects: [] };
}

function without(desk: Desk, { target }: Act): Desk {
  const { [target.pane_id]: _, ...acts } = desk.acts;
  return { acts };
}

/** The newest acts; an open one is never forgotten. */
function withAct(desk: Desk, act: Act): Desk {
  const acts = Object.entries({ ...desk.acts, [act.target.pane_id]: act });
  const settled = acts.filter(([, one]) => !isOpen(one)).sort(([, a], [, b]) => b.at - a.at);
  const gone = new Set(settled.slice(ACTS_KEPT).map(([pane]) => pane));
  return { acts: Object.fromEntries(acts.filter(([pane]) => !gone.has(pane))) };
}

/** What the storage holds, as far as it is a desk. */
export function readDesk(stored: unknown): Desk {
  const acts = typeof stored === 'object' && stored !== null ? Reflect.get(stored, 'acts') : null;
  if (typeof acts !== 'object' || acts === null) return EMPTY_DESK;
  const whole = Object.entries(acts as Record<string, Act>).filter(
    ([, one]) =>
      typeof one?.key === 'string' && typeof one.target?.pane_id === 'string' && typeof one.phase === 'string',
  );
  return { acts: Object.fromEntries(whole) };
}
