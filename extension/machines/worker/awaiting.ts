/**
 * Answers that the delivery service waits for. A short one may be complete before it is known that it is waited for, and the
 * runtime may be away when it is told: every page of such a chat is asked again until the runtime has taken it. Pure.
 */
import { ANSWER_AGAIN_PART, ANSWER_MS, type Awaited } from '../actuation/index.ts';
import type { Effect, Event, Step } from './events.ts';
import { isHeldBack } from './healing.ts';
import type { State } from './state.ts';

export function awaiting(before: State, done: Step, event: Event, now: number): Step {
  const { state } = done;
  const waiting = Object.values(state.awaited).filter((one) => now - one.since < ANSWER_MS);
  const due = waiting.filter((one) => before.awaited[one.dispatch] === undefined || isDue(one, event, now));
  const asks = Object.entries(state.tabs).flatMap(([id, { page, state: shown }]): Answer[] => {
    const [tab, { conversation }] = [Number(id), page];
    // While it is written the page says when it ends; until then nobody is told, and nobody goes on too early.
    if (conversation === null || shown.busy === true || isHeldBack(state, conversation, now)) return [];
    const come = event.type === 'here' && event.from.tab === tab;
    const own = (come ? waiting : due).filter((one) => one.conversation === conversation);
    return own.length === 0 ? [] : [{ type: 'answer', tab, conversation, messages: own.map(({ message }) => message) }];
  });
  if (asks.length === 0) return done;
  const chats = new Set(asks.map(({ conversation }) => conversation));
  const asked = due.filter(({ conversation }) => chats.has(conversation)).map((one) => ({ ...one, askedAt: now }));
  const awaited = { ...state.awaited, ...Object.fromEntries(asked.map((one) => [one.dispatch, one])) };
  return { ...done, state: { ...state, awaited }, effects: [...done.effects, ...asks] };
}

type Answer = Extract<Effect, { type: 'answer' }>;

function isDue({ since, askedAt = since }: Awaited, { type }: Event, now: number): boolean {
  if (type !== 'tick') return type === 'started' || type === 'hello';
  return now < askedAt || now - askedAt >= (now - since) * ANSWER_AGAIN_PART;
}
