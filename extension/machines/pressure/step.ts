/**
 * How long a conversation has grown, and when it is handed over by itself. Everything counted only grows: a page that
 * shows less than before has put a part of its history away. Reaching a level hands nothing over; a safe moment does. Pure.
 */
import {
  ATTEMPT_MS,
  LEVELS,
  OLD_MS,
  REPORT_TURNS_MAX,
  TURN_NUMBER_MAX,
  TURN_TOKENS_MAX,
  TURNS_KEPT,
} from './limits.ts';
import type { Boundary, Level, Pressure, PressureEvent, PressureStep, SeenTurn } from './state.ts';

export const newPressure = (now: number): Pressure => ({
  firstSeenAt: now,
  updatedAt: now,
  turns: {},
  tokens: 0,
  messages: 0,
  userTurns: 0,
  floor: 0,
  attemptAt: null,
  attempts: 0,
  wanted: null,
});

export function press(pressure: Pressure, event: PressureEvent, boundary: Boundary, now: number): PressureStep {
  const next = taken(pressure, event, now);
  return considered(next, boundary, now);
}

function taken(pressure: Pressure, event: PressureEvent, now: number): Pressure {
  switch (event.type) {
    case 'seen': {
      const seen = event.turns.slice(0, REPORT_TURNS_MAX).filter(isTurn).reduce(withTurn, pressure);
      const named = Number.isSafeInteger(event.turnsNamed) ? event.turnsNamed : 0;
      const floor = named > TURN_NUMBER_MAX ? seen.floor : Math.max(seen.floor, named);
      const changed = seen !== pressure || floor !== pressure.floor;
      return changed ? { ...seen, floor, updatedAt: now } : pressure;
    }
    case 'wanted':
      return pressure.wanted === event.reason ? pressure : { ...pressure, wanted: event.reason, updatedAt: now };
    case 'unwanted':
      return pressure.wanted === event.reason ? { ...pressure, wanted: null, updatedAt: now } : pressure;
    case 'look':
      return pressure;
  }
}

function isTurn({ id, role, tokens }: SeenTurn): boolean {
  const named = typeof id === 'string' && id !== '' && id.length <= 128 && id !== '__proto__';
  return named && (role === 'user' || role === 'assistant') && tokens >= 0 && tokens <= TURN_TOKENS_MAX;
}

/** A turn that has grown counts with what it has grown by; one that is shown shorter than before is only folded. */
function withTurn(pressure: Pressure, { id, role, tokens }: SeenTurn): Pressure {
  const known = Object.hasOwn(pressure.turns, id) ? pressure.turns[id] : undefined;
  if (known !== undefined && tokens <= known) return pressure;
  if (known === undefined && Object.keys(pressure.turns).length >= TURNS_KEPT) return pressure;
  const fresh = known === undefined ? 1 : 0;
  return {
    ...pressure,
    turns: { ...pressure.turns, [id]: tokens },
    tokens: pressure.tokens + tokens - (known ?? 0),
    messages: pressure.messages + fresh,
    userTurns: pressure.userTurns + (role === 'user' ? fresh : 0),
  };
}

export const messagesOf = ({ messages, floor }: Pressure): number => Math.max(messages, floor);

/** The highest level that any of the counts has reached. */
export function levelOf(pressure: Pressure, now: number): Level {
  const { tokens, userTurns, firstSeenAt } = pressure;
  const messages = messagesOf(pressure);
  const reached = LEVELS.findLast(
    (one) => tokens >= one.tokens || messages >= one.messages || userTurns >= one.userTurns,
  );
  return reached?.level ?? (now - firstSeenAt >= OLD_MS ? 'context_warning' : 'healthy');
}

const RANK: readonly Level[] = ['healthy', ...LEVELS.map(({ level }) => level)];

export const isAtLeast = (level: Level, least: Level): boolean => RANK.indexOf(level) >= RANK.indexOf(least);

/** Written down as an attempt before anybody is asked to begin: what dies in between has had its turn. */
function considered(pressure: Pressure, boundary: Boundary, now: number): PressureStep {
  // A handover that has begun is what was wanted.
  if (boundary.transfer) return { pressure: begun(pressure, now), due: null };
  const level = levelOf(pressure, now);
  const reason = isAtLeast(level, 'rollover_required')
    ? 'context_pressure'
    : pressure.wanted !== null && isAtLeast(level, wantedFrom(pressure.wanted))
      ? pressure.wanted
      : null;
  const { possible, auto, connected, quiet, working, messageOpen, rateLimited } = boundary;
  const safe = possible && auto && connected && quiet && !working && !messageOpen && !rateLimited;
  if (reason === null || !safe || !mayAttempt(pressure, now)) return { pressure, due: null };
  return { pressure: { ...pressure, attemptAt: now, attempts: pressure.attempts + 1, updatedAt: now }, due: reason };
}

function begun(pressure: Pressure, now: number): Pressure {
  const { wanted, attempts } = pressure;
  return wanted === null && attempts === 0 ? pressure : { ...pressure, wanted: null, attempts: 0, updatedAt: now };
}

/** The goal may want a handover when the chat has grown long; a page that cannot be recovered needs no length. */
const wantedFrom = (reason: Pressure['wanted']): Level => (reason === 'goal_handoff' ? 'handoff_prepare' : 'healthy');

/** A clock that was put back does not hold an attempt up. */
function mayAttempt({ attemptAt, attempts }: Pressure, now: number): boolean {
  if (attemptAt === null || now < attemptAt) return true;
  const pause = Math.min(ATTEMPT_MS.first * 2 ** Math.max(0, attempts - 1), ATTEMPT_MS.longest);
  return now - attemptAt >= pause;
}
