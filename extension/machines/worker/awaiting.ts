/**
 * Answers that the delivery service waits for. A short one may be complete before it is known that it is waited for, and the
 * runtime may be away when it is told: every page of such a chat is asked again until the runtime has taken it. Pure.
 */
import { ANSWER_MS } from '../actuation/index.ts';
import type { Effect, Event, Step } from './events.ts';
import { isHeldBack } from './healing.ts';
import type { State } from './state.ts';

export function awaiting(before: State, done: Step, event: Event, now: number): Step {
  const { state } = done;
  const waiting = Object.values(state.awaited).filter(({ since }) => now - since < ANSWER_MS);
  const meant = AGAIN.has(event.type)
    ? waiting
    : waiting.filter(({ dispatch }) => before.awaited[dispatch] === undefined);
  const come = event.type === 'here' ? event.from.tab : null;
  const chats = new Set(meant.map(({ conversation }) => conversation));
  const asks = Object.entries(state.tabs).flatMap(([id, { page, state: shown }]): Effect[] => {
    const tab = Number(id);
    const { conversation } = page;
    // While it is written the page says when it ends; until then nobody is told, and nobody goes on too early.
    if (shown.busy === true) return [];
    const asked =
      conversation !== null && (chats.has(conversation) || (tab === come && isAwaited(waiting, conversation)));
    return asked && !isHeldBack(state, conversation, now) ? [{ type: 'answer', tab, conversation }] : [];
  });
  return asks.length === 0 ? done : { ...done, effects: [...done.effects, ...asks] };
}

const AGAIN: ReadonlySet<Event['type']> = new Set(['started', 'hello', 'tick']);

const isAwaited = (waiting: readonly { conversation: string }[], chat: string): boolean =>
  waiting.some(({ conversation }) => conversation === chat);
