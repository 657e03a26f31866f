/** The Queue: a person's words for the next turn, in order, until their delivery was confirmed (4.8). Pure. */

import { fnv1a } from '../../fnv.ts';
import type { QueueView, Reason } from '../../messages.ts';
import {
  QUEUE_AGE_MAX_MS,
  QUEUE_BATCH_CHARS_MAX,
  QUEUE_ENTRIES_MAX,
  QUEUE_ENTRY_CHARS_MAX,
  QUEUE_FUTURE_MAX_MS,
} from './limits.ts';
import type { Queue, QueueEntry, State } from './state.ts';

const NONE: Queue = { entries: [], uncertain: [], notBefore: 0 };

export function queueOf(state: State, conversation: string | null): Queue {
  return (conversation === null ? undefined : state.queues[conversation]) ?? NONE;
}

export function viewOf({ entries, uncertain }: Queue): QueueView {
  return { count: entries.length, chars: merged(entries).length, uncertain: uncertain.length > 0 };
}

/** Adds at the end, or says which of the limits it was; then nothing was changed and the text stays a draft. */
export function enqueue(
  state: State,
  conversation: string,
  entry: QueueEntry,
  now: number,
): { state: State; reason: Reason | null } {
  const queue = queueOf(state, conversation);
  if (entry.text.trim() === '') return { state, reason: 'empty_text' };
  // Written by another clock than this one: when it would be too old, nobody could tell.
  if (entry.createdAt - now > QUEUE_FUTURE_MAX_MS) return { state, reason: 'worker_unavailable' };
  if (queue.entries.some(({ id }) => id === entry.id)) return { state, reason: null };
  if (entry.text.length > QUEUE_ENTRY_CHARS_MAX) return { state, reason: 'queue_entry_too_long' };
  if (queue.entries.length >= QUEUE_ENTRIES_MAX) return { state, reason: 'queue_full' };
  const entries = [...queue.entries, entry];
  if (merged(entries).length > QUEUE_BATCH_CHARS_MAX) return { state, reason: 'queue_batch_too_long' };
  return { state: withQueue(state, conversation, { ...queue, entries }), reason: null };
}

export function clearQueue(state: State, conversation: string): State {
  return withQueue(state, conversation, NONE);
}

/** One message of all that waits. Null: nothing waits. */
export function batchOf(queue: Queue): { id: string; text: string; ids: string[] } | null {
  if (queue.entries.length === 0) return null;
  const ids = queue.entries.map(({ id }) => id);
  return { id: fnv1a(ids.join('\n')), text: merged(queue.entries), ids };
}

/** Exactly what was delivered goes; what was added meanwhile stays. */
export function delivered(state: State, conversation: string, ids: readonly string[]): State {
  const { entries, uncertain } = queueOf(state, conversation);
  return withQueue(state, conversation, {
    notBefore: 0,
    entries: entries.filter(({ id }) => !ids.includes(id)),
    uncertain: uncertain.filter((id) => !ids.includes(id)),
  });
}

/** Submitted and never seen: it waits for a person, and so does what stands behind it. */
export function doubted(state: State, conversation: string, ids: readonly string[]): State {
  return withQueue(state, conversation, { ...queueOf(state, conversation), uncertain: ids });
}

/** The page refused: tried again when it says that it is quiet, or after a while. */
export function postponed(state: State, conversation: string, notBefore: number): State {
  return withQueue(state, conversation, { ...queueOf(state, conversation), notBefore });
}

/**
 * The line of work goes on in another conversation: what waits goes with it, oldest first. What would not fit there stays
 * where it is, whole, and so does a batch in doubt: it may have arrived in the old one.
 */
export function moveQueue(state: State, from: string, to: string): { state: State; moved: boolean } {
  const source = queueOf(state, from);
  const target = queueOf(state, to);
  const entries = [...target.entries, ...source.entries].sort((a, b) => a.createdAt - b.createdAt);
  const fits = entries.length <= QUEUE_ENTRIES_MAX && merged(entries).length <= QUEUE_BATCH_CHARS_MAX;
  if (from === to || source.entries.length === 0 || source.uncertain.length > 0 || !fits)
    return { state, moved: false };
  return { state: withQueue(clearQueue(state, from), to, { ...target, entries }), moved: true };
}

/** The person has looked and wants them sent (again). */
export function undoubted(state: State, conversation: string): State {
  return withQueue(state, conversation, { ...queueOf(state, conversation), uncertain: [], notBefore: 0 });
}

/** Entries too old to be meant for now, and those from a future that a wrong clock made, are dropped. */
export function withoutOld(state: State, now: number): State {
  let next = state;
  for (const [conversation, queue] of Object.entries(state.queues)) {
    const entries = queue.entries.filter(
      ({ createdAt }) => now - createdAt <= QUEUE_AGE_MAX_MS && createdAt - now <= QUEUE_FUTURE_MAX_MS,
    );
    if (entries.length !== queue.entries.length) next = withQueue(next, conversation, { ...queue, entries });
  }
  return next;
}

function merged(entries: readonly QueueEntry[]): string {
  return entries.map(({ text }) => text).join('\n\n');
}

function withQueue(state: State, conversation: string, queue: Queue): State {
  const { [conversation]: _before, ...others } = state.queues;
  return { ...state, queues: queue.entries.length === 0 ? others : { ...others, [conversation]: queue } };
}
