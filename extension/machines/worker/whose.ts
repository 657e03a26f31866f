/** Whose words a user turn holds. Pure. */
import type { DeliveryKind } from '../../messages.ts';
import { printOf } from '../auto/index.ts';
import { sameText } from '../page/index.ts';
import type { Event } from './events.ts';
import { readNewChat } from './new-chat.ts';
import { type Delivery, isOpen, type State } from './state.ts';

type Turn = Extract<Event, { type: 'turn_accepted' }>;

/**
 * A page that was loaded since saw no press of Send and takes every turn for a person's. What the ledger of deliveries knows
 * is ours all the same when it appears late: it frees no budget, ends no handoff and switches nothing off.
 */
export function attributed(state: State, event: Event): Event {
  if (event.type !== 'turn_accepted' || event.from.page.conversation === null) return event;
  const { conversation } = event.from.page;
  const ours = Object.values(state.deliveries)
    .filter((one) => mayStandIn(one, event) && isOf(one, event))
    .sort((a, b) => b.updatedAt - a.updatedAt)[0];
  if (ours !== undefined) return { ...event, submitted: 'extension', ours: ours.id };
  const nudged = state.judges[conversation]?.nudge?.print === printOf(event.text);
  return nudged ? { ...event, submitted: 'extension' } : event;
}

/** A message that began a chat was given to the page before it. */
function mayStandIn({ conversation, kind }: Delivery, { from }: Turn): boolean {
  return conversation === from.page.conversation || (kind === 'handoff' && readNewChat(conversation) !== null);
}

function isOf(one: Delivery, { text, id }: Turn): boolean {
  if (one.state === 'planned' || one.state === 'handed' || one.state === 'blocked') return false;
  if (isOpen(one) || one.state === 'uncertain') return one.text !== null && sameText(one.text, text);
  // The site may give a turn that it sends again another id: nobody but us writes such a text.
  if (MADE.has(one.kind)) return one.print === printOf(text);
  if (one.messageId != null && id != null) return one.messageId === id;
  return one.kind === 'judge' && one.print === printOf(text);
}

/** Made of facts of one moment, or with a mark of our own. Any other message is words that a person may write as well. */
const MADE: ReadonlySet<DeliveryKind> = new Set(['settled', 'progress', 'tasks', 'handoff', 'bridge']);
