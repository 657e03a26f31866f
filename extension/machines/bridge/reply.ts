/**
 * The page's side: which reply at the conversation's end is one to a message of ours, and when it is whole. A look a
 * moment; a reply that has not changed for a while, while nothing is being written, is whole. Pure.
 */

import type { BridgeTurn } from '../../messages.ts';
import type { Message, Messages } from '../../reading.ts';
import { ANOTHER_ANSWER, parseReply } from './grammar.ts';
import { CALLS_STILL_MS, REPLY_STILL_MS } from './limits.ts';
import { markOf } from './protocol.ts';

export interface ReplyWatch {
  /** What was last seen, and since when it has not changed. */
  text: string | null;
  since: number;
  place: string;
}

export const NO_REPLY: ReplyWatch = { text: null, since: 0, place: '' };

export interface ReplyLook {
  now: number;
  conversation: string | null;
  mounted: readonly Message[];
  busy: boolean | null;
}

/** Whether this view of the chat ends before the message that a message of ours follows. One that shows none cannot say. */
export function isBehind(
  view: Pick<Messages, 'mounted' | 'partial'> | null,
  { text, after = 0 }: { text: string; after?: number },
): boolean {
  const mark = markOf(text);
  if (view === null || view.partial || mark === null || after === 0) return false;
  const shown = view.mounted.flatMap((one) => (one.role === 'user' ? (markOf(one.text) ?? []) : []));
  const last = shown.findLast(({ loop }) => loop === mark.loop);
  return last !== undefined && last.n < after;
}

/**
 * What stands at the end in the moment in which a person sends on: the message of ours, and the answer to it when that is one
 * in words. Calls that nobody has taken yet are overtaken, and told to be. Null: the end is no message of ours.
 */
export function overtaken(mounted: readonly Message[], busy: boolean | null): BridgeTurn | null {
  const at = mounted.findLastIndex(({ role }) => role === 'user');
  const mark = at < 0 ? null : markOf(mounted[at]?.text ?? '');
  if (mark === null) return null;
  const { message, text } = replyIn(mounted, at);
  const isAnswer = busy === false && text !== null && text.trim() !== '' && parseReply(text).kind === 'none';
  return { ...mark, reply: isAnswer ? { message, text } : null };
}

function replyIn(mounted: readonly Message[], user: number): { message: string | null; text: string | null } {
  const parts = mounted.slice(user + 1).filter(({ role }) => role === 'assistant');
  const text = parts.length === 0 ? null : parts.map((part) => part.text).join(ANOTHER_ANSWER);
  return { message: parts.at(-1)?.id ?? null, text };
}

/** The last message of a person's side decides: another one after ours means that the reply is not to us. */
export function lookForReply(watch: ReplyWatch, look: ReplyLook): { watch: ReplyWatch; seen: BridgeTurn | null } {
  const at = look.mounted.findLastIndex(({ role }) => role === 'user');
  const mark = at < 0 ? null : markOf(look.mounted[at]?.text ?? '');
  if (mark === null || look.conversation === null) return { watch: NO_REPLY, seen: null };
  const place = `${look.conversation}\n${mark.loop}\n${mark.n}`;
  const { message, text } = replyIn(look.mounted, at);
  const moved = watch.place !== place || watch.text !== text || look.busy !== false;
  // Nobody can be answered by a message that the site may not have taken.
  const stands = look.mounted[at]?.id !== null || text !== null;
  if (!stands) return { watch: NO_REPLY, seen: null };
  const next = moved ? { text, since: look.now, place } : watch;
  // The address of a page changes before what it shows does: one look is no proof of whose the message is.
  if (watch.place !== place) return { watch: next, seen: null };
  const still = look.now - next.since;
  const whole =
    text !== null &&
    text.trim() !== '' &&
    !moved &&
    still >= CALLS_STILL_MS &&
    (still >= REPLY_STILL_MS || parseReply(text).kind === 'calls');
  return { watch: next, seen: { ...mark, reply: whole ? { message, text } : null } };
}
