/** The deterministic gates, in their order: the first that holds ends the matter, and no model is asked. Pure. */
import { NUDGES_MAX, RETRIES_MAX, RETRY_MS, UNCONFIRMED_MS } from './limits.ts';
import type { Auto, Facts, Gate, JudgedTurn } from './state.ts';
import { answerOf, isSameAnswer } from './text.ts';

/** `retry`: the gate opens by itself, at the latest then; null: only something new opens it. */
export type Gated = { why: Gate; retryInMs: number | null } | null;

/** Gates that hold whatever the answer says; asked again before every further step and before the page is read. */
export function standingGate(auto: Auto, facts: Facts): Gated {
  const closed = (why: Gate): Gated => ({ why, retryInMs: null });
  const later = (why: Gate): Gated => ({ why, retryInMs: backOff(auto) });
  if (facts.queued > 0) return closed('queue_first');
  if (!facts.auto) return closed('auto_off');
  if (facts.transfer) return closed('transfer_active');
  if (!facts.judged) return closed('site_progress_only');
  if (facts.paceSec === 0) return closed('progress_off');
  if (!facts.bound) return closed('unbound');
  if (!facts.connected) return later('runtime_unavailable');
  if (facts.page === 'busy') return later('still_generating');
  if (facts.page !== 'quiet') return later('page_not_quiet');
  if (facts.messageInFlight || auto.sending?.doubtful === false) return closed('message_in_flight');
  if (facts.settlePending) return closed('settle_first');
  if (facts.uncertainAt !== null && facts.uncertainAt > auto.spokeAt) return closed('delivery_uncertain');
  if (facts.rateLimited) return later('rate_limited');
  return auto.nudges >= NUDGES_MAX ? closed('nudges_spent') : null;
}

export function gate(auto: Auto, turn: JudgedTurn, facts: Facts, now: number): Gated {
  if (auto.judging !== null) return { why: 'judge_in_flight', retryInMs: null };
  const answer = answerOf(turn);
  const standing = standingGate(auto, facts);
  // An answer that says nothing is no reason to wait for anything.
  if (standing !== null && standing.retryInMs === null) return standing;
  if (answer.print === '') return { why: 'empty_answer', retryInMs: null };
  if (standing !== null) return standing;
  if (auto.nudge?.print === answer.print) return { why: 'own_words', retryInMs: null };
  if (isSameAnswer(auto.sealed, answer)) return { why: 'already_judged', retryInMs: null };
  const seen = isSameAnswer(auto.seen?.answer, answer) ? auto.seen : null;
  const stood = seen === null ? 0 : elapsed(seen.at, now);
  if (!seen?.confirmed && stood < UNCONFIRMED_MS) {
    return { why: 'unconfirmed', retryInMs: UNCONFIRMED_MS - stood };
  }
  const waited = auto.nudge === null ? Number.POSITIVE_INFINITY : elapsed(auto.nudge.at, now);
  const pauseMs = facts.paceSec * 1_000;
  return waited < pauseMs ? { why: 'cooldown', retryInMs: pauseMs - waited } : null;
}

/** Time since then. A clock that was put back counts as one that has gone on: nothing waits for a day that was. */
export function elapsed(at: number | null, now: number): number {
  return at === null || now < at ? Number.POSITIVE_INFINITY : now - at;
}

/** The next pause about one answer; null when there were enough. */
export function backOff({ retries }: Auto): number | null {
  return retries >= RETRIES_MAX ? null : Math.min(RETRY_MS.first * 2 ** retries, RETRY_MS.longest);
}
