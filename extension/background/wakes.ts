/**
 * Whose it is to write into a chat, or to begin its successor, asked of the runtime: before a page is given the message,
 * and once more before Send. A runtime that keeps no such list, or is away, says nothing, and this browser goes on as if it
 * were the only one; but what was claimed there leaves only after the runtime has said so again, because a claim may be
 * over by then.
 */
import type { RegistryAnswer, RegistryRequest, WakeStanding } from '../../contract/extension/index.ts';
import type { HandoffEvent, Transfer } from '../machines/handoff/index.ts';
import {
  type Claim,
  claimOf,
  type Event,
  ended,
  endedHandoffs,
  handoffClaimOf,
  type State,
  type Told,
} from '../machines/worker/index.ts';
import type { Reason } from '../messages.ts';

export interface WakeParts {
  registry: { endpointRef(): Promise<string | null> };
  runtime: { registry(request: RegistryRequest): Promise<RegistryAnswer | null> };
  state(): Promise<State>;
}

export interface Wakes {
  /** What a message that is to be given to a page becomes instead; null: it may be given. */
  claim(id: string, attempt: number): Promise<Extract<Event, { type: 'told_elsewhere' }> | null>;
  /** Why a message must not be submitted; null: it may. */
  leave(id: string): Promise<Reason | null>;
  /** What a handoff hears instead of being given to the delivery service; null: it may be given. */
  handOver(transfer: Transfer): Promise<Extract<HandoffEvent, { type: 'elsewhere' }> | null>;
  /** Tells what became of what came to an end. */
  changed(state: State, before: State): void;
}

export function createWakes({ registry, runtime, state }: WakeParts): Wakes {
  const held = new Set<string>();

  /** Null: nobody answered, or the runtime keeps no such list. */
  async function ask(operation: 'wake.claim' | 'wake.leave', claim: Claim): Promise<WakeStanding | null> {
    const endpoint_ref = await registry.endpointRef();
    if (endpoint_ref === null) return null;
    const { conversation, keys, againMs, byPerson, panes } = claim;
    const asked = {
      ...{ endpoint_ref, conversation, keys: [...keys] },
      ...(againMs === undefined ? {} : { again_ms: againMs }),
      ...(byPerson ? { by_person: true as const } : {}),
    };
    const answer = await runtime.registry(
      operation === 'wake.leave' ? { operation, ...asked } : { operation, ...asked, panes: [...panes] },
    );
    return answer?.ok && 'wake' in answer ? answer.wake : null;
  }

  async function tell({ claim, outcome, unclaimed }: Told): Promise<void> {
    const { conversation, keys } = claim;
    const endpoint_ref = await registry.endpointRef();
    if (endpoint_ref === null) return;
    if (unclaimed && outcome === 'sent') await ask('wake.leave', claim);
    await runtime.registry({ operation: 'wake.done', endpoint_ref, conversation, keys: [...keys], outcome });
  }

  const claimed = async (id: string): Promise<Claim | null> => {
    const delivery = (await state()).deliveries[id];
    return delivery === undefined ? null : claimOf(delivery);
  };

  return {
    async claim(id, attempt) {
      const claim = await claimed(id);
      const as = claim && (await ask('wake.claim', claim));
      if (as === 'yours') held.add(id);
      return as === null || as === 'yours' ? null : { type: 'told_elsewhere', id, attempt, as };
    },
    async leave(id) {
      const claim = await claimed(id);
      if (claim === null) return null;
      const as = await ask('wake.leave', claim);
      if (as === null) return held.has(id) ? 'runtime_unavailable' : null;
      // What became of it is learnt when it is to be given to a page again.
      return as === 'yours' ? null : 'wake_in_flight';
    },
    async handOver(transfer) {
      const claim = handoffClaimOf(transfer);
      const as = claim && (await ask('wake.leave', claim));
      // A person's press is a person's decision; the others hear of it all the same.
      return as === null || as === 'yours' || claim?.byPerson ? null : { type: 'elsewhere', as };
    },
    changed(after, before) {
      for (const one of [...ended(before, after), ...endedHandoffs(before, after)]) {
        held.delete(one.id);
        tell(one).catch((error: unknown) => {
          // Unheard, its claim lapses, or another browser asks a person.
          console.error('herdr-mcp: the runtime was not told what became of what was claimed', error);
        });
      }
    },
  };
}
