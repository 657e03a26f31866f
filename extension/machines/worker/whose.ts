/** Whose words a user turn holds. Pure. */
import { printOf } from '../auto/index.ts';
import { sameText } from '../page/index.ts';
import type { Event } from './events.ts';
import type { State } from './state.ts';

/**
 * A page that was loaded since saw no press of Send and takes every turn for a person's. A message of ours that was in doubt,
 * or that Auto sent last, is ours all the same when it appears late: it frees no budget and ends no handoff.
 */
export function attributed(state: State, event: Event): Event {
  if (event.type !== 'turn_accepted' || event.submitted === 'extension') return event;
  const { text, from } = event;
  const { conversation } = from.page;
  if (conversation === null) return event;
  const inDoubt = Object.values(state.deliveries).some(
    (one) =>
      one.conversation === conversation &&
      (one.state === 'submitting' || one.state === 'uncertain') &&
      one.text !== null &&
      sameText(one.text, text),
  );
  const ours = inDoubt || state.judges[conversation]?.nudge?.print === printOf(text);
  return ours ? { ...event, submitted: 'extension' } : event;
}
