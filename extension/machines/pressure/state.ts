/** What is known of a conversation's length. Ids and numbers only, never words. */
import type { LEVELS } from './limits.ts';

export type Level = 'healthy' | (typeof LEVELS)[number]['level'];

/** Why a conversation should be handed over. */
export type RolloverReason = 'context_pressure' | 'goal_handoff' | 'recovery_exhausted';

export interface SeenTurn {
  /** The site's id, or a name made of the text where it gives none. */
  id: string;
  role: 'user' | 'assistant';
  tokens: number;
}

export interface Pressure {
  firstSeenAt: number;
  updatedAt: number;
  /** Tokens of each turn that was seen, by id. */
  turns: Readonly<Record<string, number>>;
  /** Sums over everything that was ever seen: they only grow. */
  tokens: number;
  messages: number;
  userTurns: number;
  /** The largest number of turns that the page ever named: a history that is no longer mounted is still there. */
  floor: number;
  /** The last attempt to begin a handover, and how many led nowhere so far. */
  attemptAt: number | null;
  attempts: number;
  /** Wanted by somebody else than the length: the goal, or a recovery that was used up. */
  wanted: RolloverReason | null;
}

/** How things stand around the conversation. */
export interface Boundary {
  /** Automatic handovers are done on this site at all, and this conversation can be handed over. */
  possible: boolean;
  auto: boolean;
  connected: boolean;
  /** No draft, no stream, no tool, no card. */
  quiet: boolean;
  /** A bound workspace works. */
  working: boolean;
  /** A message is on its way, or it is not certain that the last one arrived. */
  messageOpen: boolean;
  transfer: boolean;
  rateLimited: boolean;
}

export type PressureEvent =
  /** What a page shows of the conversation now; a part of it, and the number of turns that it names. */
  | { type: 'seen'; turns: readonly SeenTurn[]; turnsNamed: number }
  /** Somebody advises a handover. */
  | { type: 'wanted'; reason: RolloverReason }
  /** What advised it has passed. */
  | { type: 'unwanted'; reason: RolloverReason }
  | { type: 'look' };

export interface PressureStep {
  pressure: Pressure;
  /** The handover is due now; null: it is not. */
  due: RolloverReason | null;
}
