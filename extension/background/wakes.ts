/**
 * Whose wake it is, asked of the runtime: before a page is given the message, and once more before Send. A runtime that
 * keeps no such list, or is away, says nothing, and this browser goes on as if it were the only one; but what was claimed
 * there leaves only after the runtime has said so again, because a claim may be over by then.
 */
import type { RegistryAnswer, RegistryRequest, WakeOutcome, WakeStanding } from '../../contract/extension/index.ts';
import { claimed, type Event, ended, panesTold, type State } from '../machines/worker/index.ts';
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
  /** Tells what became of the messages that came to an end. */
  changed(state: State, before: State): void;
}

export function createWakes({ registry, runtime, state }: WakeParts): Wakes {
  const held = new Set<string>();

  /** Null: nobody answered, or the runtime keeps no such list. */
  async function ask(operation: 'wake.claim' | 'wake.leave', id: string): Promise<WakeStanding | 'nothing' | null> {
    const delivery = (await state()).deliveries[id];
    const keys = delivery === undefined ? [] : claimed(delivery);
    if (delivery === undefined || keys.length === 0) return 'nothing';
    const endpoint_ref = await registry.endpointRef();
    if (endpoint_ref === null) return null;
    const { conversation } = delivery;
    const asked = { endpoint_ref, conversation, keys: [...keys] };
    const answer = await runtime.registry(
      operation === 'wake.leave' ? { operation, ...asked } : { operation, ...asked, panes: panesTold(delivery) },
    );
    return answer?.ok && 'wake' in answer ? answer.wake : null;
  }

  async function tell(delivery: State['deliveries'][string], outcome: WakeOutcome): Promise<void> {
    const endpoint_ref = await registry.endpointRef();
    if (endpoint_ref === null) return;
    const { conversation } = delivery;
    const keys = [...claimed(delivery)];
    await runtime.registry({ operation: 'wake.done', endpoint_ref, conversation, keys, outcome });
  }

  return {
    async claim(id, attempt) {
      const as = await ask('wake.claim', id);
      if (as === 'yours') held.add(id);
      return as === null || as === 'nothing' || as === 'yours' ? null : { type: 'told_elsewhere', id, attempt, as };
    },
    async leave(id) {
      const as = await ask('wake.leave', id);
      if (as === null) return held.has(id) ? 'runtime_unavailable' : null;
      // What became of it is learnt when it is to be given to a page again.
      return as === 'nothing' || as === 'yours' ? null : 'wake_in_flight';
    },
    changed(after, before) {
      for (const { delivery, outcome } of ended(before, after)) {
        held.delete(delivery.id);
        tell(delivery, outcome).catch((error: unknown) => {
          // Unheard, its claim lapses, or another browser asks a person.
          console.error('herdr-mcp: the runtime was not told what became of a wake', error);
        });
      }
    },
  };
}
