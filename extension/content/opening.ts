/** The first message of a new chat: from the page before it, and only from the one of the Project that is meant. */
import { CONFIRM_LOOK_MS, CONFIRM_MS } from '../machines/page/index.ts';
import type { Delivery, DeliveryOutcome } from '../messages.ts';
import { projectOf } from '../page.ts';
import { type DeliverParts, deliver } from './deliver.ts';

/** Sent means that the chat has an address of its own and that our text stands there. */
export async function deliverNew(
  parts: DeliverParts,
  project: string | null,
  delivery: Delivery,
): Promise<DeliveryOutcome> {
  const page: DeliverParts['page'] = () => {
    const now = parts.page();
    if (now === null || now.conversation !== null) return now;
    return (projectOf(now)?.key ?? null) === project ? now : null;
  };
  const outcome = await deliver({ ...parts, page }, null, delivery);
  if (outcome.state !== 'sent') return outcome;
  const until = parts.clock.now() + CONFIRM_MS;
  for (;;) {
    const now = parts.page();
    if (now?.conversation != null) return { ...outcome, url: now.url };
    if (parts.ended.aborted) return { state: 'uncertain', reason: 'page_gone' };
    if (parts.clock.now() >= until) return { state: 'uncertain', reason: 'no_new_turn' };
    await parts.clock.pause(CONFIRM_LOOK_MS);
  }
}
