/**
 * Which conversation a call came from: only what the extension saw can prove it, and only when there is one answer. Pure.
 *
 * A conversation is proved when its newest user turn was in progress while the whole call ran and no other conversation had
 * one in progress at any moment of it. A turn that was reported and then fell silent may still go on: it proves nothing and
 * stands in the way. Browser and runtime share this machine's clock.
 */
import { TURN_DOUBT_MS, TURN_FRESH_MS } from './limits.ts';

export interface SourceTurn {
  sessionRef: string;
  /** Equal for the same conversation in two browsers. */
  conversation: string;
  startedAt: number;
  observedAt: number;
  endedAt: number | null;
}

/** The session, or null without proof. `from` and `to` bound the call; `nowMs` is the moment of asking. */
export function provedSession(
  turns: readonly SourceTurn[],
  call: { from: number; to: number },
  nowMs: number,
): string | null {
  const touching = turns.filter((turn) => mayTouch(turn, call, nowMs));
  if (new Set(touching.map(({ conversation }) => conversation)).size !== 1) return null;
  const covering = touching.filter((turn) => covers(turn, call, nowMs));
  if (covering.length !== touching.length) return null;
  return newest(covering);
}

function mayTouch(turn: SourceTurn, { from, to }: { from: number; to: number }, nowMs: number): boolean {
  if (turn.startedAt > to) return false;
  if (turn.endedAt !== null) return turn.endedAt >= from;
  return nowMs - turn.observedAt <= TURN_DOUBT_MS;
}

function covers(turn: SourceTurn, { from, to }: { from: number; to: number }, nowMs: number): boolean {
  if (turn.startedAt > from) return false;
  return turn.endedAt === null ? nowMs - turn.observedAt <= TURN_FRESH_MS : turn.endedAt >= to;
}

/** One conversation in two browsers: the one that reported it last; equal times choose nobody. */
export function newest(turns: readonly { sessionRef: string; observedAt: number }[]): string | null {
  const at = Math.max(...turns.map(({ observedAt }) => observedAt));
  const last = turns.filter(({ observedAt }) => observedAt === at);
  return last.length === 1 ? (last[0]?.sessionRef ?? null) : null;
}
