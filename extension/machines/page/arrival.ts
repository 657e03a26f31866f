/** Did a submitted message arrive? Decided from what stood there before and what stands there now. Pure. */
import type { Baseline } from '../../messages.ts';
import type { Message, Messages, ServerView } from '../../site/index.ts';
import { sameText } from './text.ts';

export type Arrival =
  /** A new user turn with our text, under the site's own id; null on a page that names no message. */
  | { state: 'arrived'; messageId: string | null }
  /** Shown with our text but without an id of the site: not yet accepted. */
  | { state: 'showing' }
  /** A new user turn, and its text is another. */
  | { state: 'changed' }
  | { state: 'nothing' };

export function baselineOf({ mounted }: Messages): Baseline {
  const users = mounted.filter(({ role }) => role === 'user');
  return { userIds: users.flatMap(({ id }) => id ?? []), userTurns: users.length };
}

/** A turn counts as new by its id; one without an id only when there is one more than before. */
export function arrivalOf(baseline: Baseline, { mounted, answerProves = false }: Messages, text: string): Arrival {
  const users = mounted.filter(({ role }) => role === 'user');
  const fresh = users.filter((user) => user.id !== null && !baseline.userIds.includes(user.id));
  const ours = fresh.findLast((user) => sameText(user.text, text));
  if (ours?.id != null) return { state: 'arrived', messageId: ours.id };
  const last = users.at(-1);
  if (last && last.id === null && users.length > baseline.userTurns && sameText(last.text, text)) {
    const named = !answerProves || baseline.userTurns === 0 || mounted.some(({ id }) => id !== null);
    const answered = mounted.at(-1)?.role === 'assistant';
    return !named && answered ? { state: 'arrived', messageId: null } : { state: 'showing' };
  }
  // Scrolling up mounts older turns that the baseline did not name: only one behind the last known one is new.
  return isBehind(baseline, users) ? { state: 'changed' } : { state: 'nothing' };
}

function isBehind(baseline: Baseline, users: readonly Message[]): boolean {
  const last = users.at(-1);
  if (!last?.id || baseline.userIds.includes(last.id)) return false;
  return baseline.userTurns === 0 || users.some(({ id }) => id !== null && baseline.userIds.includes(id));
}

/** What the site's server knows of it. Only its newest user turn can be ours. */
export function arrivalAtServer(baseline: Baseline, { latestUser }: ServerView, text: string): Arrival {
  if (latestUser?.id == null || baseline.userIds.includes(latestUser.id)) return { state: 'nothing' };
  return sameText(latestUser.text, text) ? { state: 'arrived', messageId: latestUser.id } : { state: 'changed' };
}
