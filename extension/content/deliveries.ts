/**
 * What this page was told to send. One at a time; the same attempt told twice is one attempt, and its outcome is told
 * again. The outcome is repeated until the worker has heard it.
 */
import type { Answer, Delivery, DeliveryOutcome } from '../messages.ts';
import type { Clock } from './clock.ts';
import { OUTCOME_REPEAT_MS, OUTCOMES_KEPT } from './limits.ts';

export interface DeliveriesParts {
  clock: Clock;
  ended: AbortSignal;
  run(conversation: string | null, delivery: Delivery): Promise<DeliveryOutcome>;
  tell(id: string, attempt: number, outcome: DeliveryOutcome): Promise<Answer<null>>;
  /** The worker has heard that this page is behind its chat. */
  behind(): void;
}

export function createDeliveries(parts: DeliveriesParts) {
  const known = new Map<string, DeliveryOutcome | 'running'>();
  let running: string | null = null;

  async function tell(delivery: Delivery, outcome: DeliveryOutcome): Promise<void> {
    while (!parts.ended.aborted) {
      const heard = await parts.tell(delivery.id, delivery.attempt, outcome);
      // A worker that could not be reached, or could not write it down, is told again; its own refusals are answers.
      if (heard.ok || (heard.reason !== 'worker_unavailable' && heard.reason !== 'storage_unavailable')) return;
      await parts.clock.pause(OUTCOME_REPEAT_MS);
    }
  }

  async function run(key: string, conversation: string | null, delivery: Delivery): Promise<void> {
    const outcome = await parts
      .run(conversation, delivery)
      .catch((): DeliveryOutcome => ({ state: 'uncertain', reason: 'page_unreadable' }));
    known.set(key, outcome);
    for (const old of [...known.keys()].slice(0, Math.max(0, known.size - OUTCOMES_KEPT))) known.delete(old);
    running = null;
    await tell(delivery, outcome);
    if (outcome.state === 'blocked' && outcome.reason === 'page_behind') parts.behind();
  }

  return {
    isRunning: () => running !== null,
    /** Null: the message begins a chat. */
    take(conversation: string | null, delivery: Delivery): Answer<null> {
      const key = `${delivery.id}#${delivery.attempt}`;
      const outcome = known.get(key);
      if (outcome !== undefined) {
        if (outcome !== 'running') void tell(delivery, outcome);
        return { ok: true, value: null };
      }
      if (running !== null) return { ok: false, reason: 'wake_in_flight' };
      running = key;
      known.set(key, 'running');
      void run(key, conversation, delivery);
      return { ok: true, value: null };
    },
  };
}
