/** Numbers of the context pressure of a conversation, each with its reason (reference/extension.md 4.12). Times are ms. */

/** Characters of a token, by kind: rough on purpose, and a little too many tokens rather than too few. */
export const TOKENS_PER = { wide: 0.95, letter: 1 / 4, digit: 1 / 3, blank: 1 / 12, other: 1 / 2 } as const;

/**
 * Where each level begins. 128,000 tokens are the window of the models behind these chats; about a quarter of it is kept
 * for what no page shows: instructions of the Project and the system, and what tools returned.
 */
export const LEVELS = [
  { level: 'context_warning', tokens: 56_000, messages: 32, userTurns: 20 },
  { level: 'handoff_prepare', tokens: 64_000, messages: 40, userTurns: 24 },
  { level: 'rollover_recommended', tokens: 72_000, messages: 46, userTurns: 27 },
  { level: 'rollover_required', tokens: 80_000, messages: 50, userTurns: 30 },
  { level: 'high_risk', tokens: 92_000, messages: 60, userTurns: 36 },
] as const;

/** A conversation that is this old has hidden baggage, however short it looks: a warning, never more. */
export const OLD_MS = 12 * 60 * 60_000;

/** Turns of a conversation that are told apart; more than the highest level has, and beyond it nothing changes. */
export const TURNS_KEPT = 400;
/** Turns of one report of a page. */
export const REPORT_TURNS_MAX = 400;
/** Tokens of one message: the journal takes 262,144 bytes of one. */
export const TURN_TOKENS_MAX = 262_144;
/** No conversation has more turns; a page that says so is wrong. */
export const TURN_NUMBER_MAX = 100_000;
/** Conversations that are remembered, the newest first. */
export const CONVERSATIONS_KEPT = 20;

/** Between two attempts to begin a handover; it doubles while the attempts lead nowhere. */
export const ATTEMPT_MS = { first: 60_000, longest: 900_000 } as const;
