/** One message of the worker, by the one way to send: into the chat that is shown, or as the first of a new one. */
import type { Delivery, DeliveryOutcome } from '../messages.ts';
import { type DeliverParts, deliver } from './deliver.ts';
import { deliverNew } from './opening.ts';
import type { Talk } from './talk.ts';

type SenderParts = Omit<DeliverParts, 'claim'> & { ask: Talk['ask'] };

export function createSender(parts: SenderParts) {
  return (conversation: string | null, delivery: Delivery): Promise<DeliveryOutcome> => {
    const given: DeliverParts = {
      ...parts,
      claim: async (baseline) => {
        const from = parts.page();
        if (from === null) return { ok: false, reason: 'conversation_changed' };
        return parts.ask(from, 'delivery.claim', { id: delivery.id, attempt: delivery.attempt, baseline });
      },
    };
    return delivery.opens === undefined
      ? deliver(given, conversation, delivery)
      : deliverNew(given, delivery.opens.project, delivery);
  };
}
