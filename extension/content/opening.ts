/** The first message of a new chat: from the page before it, and only from the one of the Project that is meant. */
import { CONFIRM_LOOK_MS, CONFIRM_MS, sameText } from '../machines/page/index.ts';
import type { Delivery, DeliveryOutcome } from '../messages.ts';
import { projectOf } from '../page.ts';
import { type DeliverParts, deliver } from './deliver.ts';

/** Whether our message stands in what is shown now: a person may have gone to another chat before this one had an address. */
function shows({ adapter }: DeliverParts, messageId: string | null, text: string): boolean {
  const users = (adapter.messages().found?.mounted ?? []).filter(({ role }) => role === 'user');
  return users.some((user) => (messageId !== null && user.id === messageId) || sameText(user.text, text));
}

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
    if (now?.conversation != null && shows(parts, outcome.messageId, delivery.text))
      return { ...outcome, url: now.url };
    if (parts.ended.aborted) return { state: 'uncertain', reason: 'page_gone' };
    if (parts.clock.now() >= until) return { state: 'uncertain', reason: 'no_new_turn' };
    await parts.clock.pause(CONFIRM_LOOK_MS);
  }
}
