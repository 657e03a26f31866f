/**
 * Our messages into a conversation: what is to be posted, under which number, and what became of it. They go out by the
 * one delivery machine of the worker; this says what they are. Pure.
 */
import type { DeliveryKind, Reason } from '../../messages.ts';
import { isDone } from './calls.ts';
import { POST_PAUSE_MS, REFUSALS_MAX } from './limits.ts';
import { body, markLine, REMINDER, replacedText } from './protocol.ts';
import { failure, resultsText } from './results.ts';
import {
  awaits,
  type BridgeState,
  bridgeBusy,
  type Entry,
  type Loop,
  openRound,
  type Round,
  type Sending,
  withLoop,
} from './state.ts';

/**
 * Messages that control the conversation itself: the model must not take them for a task with tools. And those of a local
 * agent, which waits for the one answer in words.
 */
const RAW: ReadonlySet<DeliveryKind> = new Set(['handoff', 'judge', 'dispatch']);

/** What the conversation is owed: results, a person's words, or both. Null: nothing, or not now. */
export function postOf(state: BridgeState, conversation: string, now: number): { id: string; text: string } | null {
  const loop = state.loops[conversation];
  if (!loop || loop.sending !== null || loop.doubt !== null || loop.notBefore > now) return null;
  if (loop.paused !== null || state.off[conversation]) return null;
  const round = openRound(loop);
  if (round !== null && !isDone(round)) return null;
  if (round === null && loop.said.length === 0) return null;
  const teaches = taught(loop);
  return {
    id: `bridge:${loop.id}:${loop.n + 1}`,
    text: body({
      intro: teaches?.text ?? (loop.said.length > 0 ? REMINDER : null),
      results: round !== null ? told(round) : awaits(loop) ? UNREAD : null,
      said: loop.said.map(({ text }) => text),
    }),
  };
}

/** The newest explanation among the words that wait, unless the conversation knows it. */
function taught({ said, taught: known }: Loop): { text: string; digest: string } | null {
  const newest = said.findLast(({ intro }) => intro !== null)?.intro ?? null;
  return newest === null || newest.digest === known ? null : newest;
}

function told({ calls, problem, replaced }: Round): string {
  if (problem !== null) return resultsText([protocol(0, 'unreadable', problem)]);
  const entries = calls.flatMap(({ result }) => result ?? []);
  if (!replaced) return resultsText(entries);
  return resultsText([...entries, protocol(calls.length, 'reply_replaced', replacedText(calls))]);
}

function protocol(index: number, error: string, detail: string): Entry {
  return failure(index, 'bridge_protocol', error, detail);
}

/**
 * A message of ours is planned. In a conversation with a loop it gets the next number and its mark, so that the model may
 * answer it with calls; raw messages and those of other conversations stay as they are.
 */
export function addressed(
  state: BridgeState,
  given: { delivery: string; kind: DeliveryKind; conversation: string; text: string },
  now: number,
): { bridge: BridgeState; text: string } {
  const { delivery, kind, conversation, text } = given;
  const loop = state.loops[conversation];
  const raw = RAW.has(kind) || !loop || loop.paused === 'stopped' || state.off[conversation];
  if (raw) return { bridge: state, text };
  const own = kind === 'bridge';
  const n = loop.n + 1;
  const sending: Sending = {
    delivery,
    n,
    results: own && openRound(loop) !== null,
    entries: own ? loop.said.map(({ entry }) => entry) : [],
    teaches: own ? (taught(loop)?.digest ?? null) : null,
  };
  return {
    bridge: withLoop(state, { ...loop, n, sending, updatedAt: now }),
    text: `${markLine({ loop: loop.id, n })}\n${text}`,
  };
}

/**
 * Results belong behind the reply that asked for them, and not into another tab's older view of the chat, where they would
 * begin a branch. A person's own words go where the person wrote them.
 */
export function standsAfter(state: BridgeState, delivery: string, conversation: string): { after?: number } {
  const loop = state.loops[conversation];
  if (loop?.sending?.delivery !== delivery || !loop.sending.results || loop.sending.entries.length > 0) return {};
  return { after: loop.at };
}

/** Why a message of a loop, or one that would come between its calls and results, must not be submitted; asked at the claim. */
export function postObjection(
  state: BridgeState,
  { id, kind, conversation }: { id: string; kind: DeliveryKind; conversation: string },
): Reason | null {
  if (kind === 'dispatch') return bridgeBusy(state, conversation) ? 'turn_in_progress' : null;
  const loop = state.loops[conversation];
  if (loop?.sending?.delivery !== id) return 'unbound';
  if (state.off[conversation]) return 'bridge_off';
  return loop.paused === 'stopped' ? 'bridge_stopped' : null;
}

/** What became of a message. What was posted stays posted: its results are forgotten, and never told again. */
export function posted(
  state: BridgeState,
  delivery: string,
  conversation: string,
  as: 'sent' | 'blocked' | 'uncertain',
  reason: Reason | null,
  now: number,
): BridgeState {
  const loop = state.loops[conversation];
  const sending = loop?.sending?.delivery === delivery ? loop.sending : loop?.doubt;
  if (!loop || sending?.delivery !== delivery) return state;
  if (as === 'blocked') return withLoop(state, { ...refused(loop, reason, now), sending: null, updatedAt: now });
  if (as === 'uncertain') {
    const paused = loop.paused ?? 'uncertain';
    return withLoop(state, { ...loop, sending: null, doubt: sending, paused, updatedAt: now });
  }
  const { round } = loop;
  return withLoop(state, {
    ...loop,
    sending: null,
    doubt: null,
    paused: loop.paused === 'uncertain' || loop.paused === 'refused' ? null : loop.paused,
    refusals: 0,
    at: sending.n,
    atMs: now,
    answered: false,
    said: loop.said.filter(({ entry }) => !sending.entries.includes(entry)),
    taught: sending.teaches ?? loop.taught,
    round: round !== null && sending.results ? closed(round) : round,
    notBefore: 0,
    updatedAt: now,
  });
}

/** A person has written on before the last reply was read, as when they stopped it: the model must not take its calls for run. */
const UNREAD = resultsText([
  protocol(0, 'not_run', 'The user wrote this before your last reply was read. No tool call in it was run.'),
]);

/** Typed, and then the page had no way to send it, or had made something else of it. */
const AFTER_TYPING: ReadonlySet<Reason> = new Set(['send_missing', 'insert_failed']);

function refused(loop: Loop, reason: Reason | null, now: number): Loop {
  if (reason === null || !AFTER_TYPING.has(reason)) return { ...loop, notBefore: now + POST_PAUSE_MS };
  const refusals = loop.refusals + 1;
  const paused = refusals < REFUSALS_MAX ? loop.paused : (loop.paused ?? 'refused');
  return { ...loop, refusals, paused, notBefore: now + POST_PAUSE_MS * 2 ** refusals };
}

function closed(round: Round): Round {
  return {
    ...round,
    posted: true,
    calls: round.calls.map((call) => ({ ...call, state: 'posted' as const, args: {}, result: null })),
  };
}

/** The delivery that a page has just proved to have arrived, because a message with its number stands there. */
export function provenBy(state: BridgeState, conversation: string, loop: string, n: number): string | null {
  const known = state.loops[conversation];
  if (known?.id !== loop) return null;
  if (known.doubt?.n === n) return known.doubt.delivery;
  return known.sending?.n === n ? known.sending.delivery : null;
}

/** A page has become quiet: what it refused a moment ago need not wait any longer. */
export function atOnce(state: BridgeState, conversation: string): BridgeState {
  const loop = state.loops[conversation];
  return loop && loop.notBefore > 0 && loop.refusals === 0 ? withLoop(state, { ...loop, notBefore: 0 }) : state;
}
