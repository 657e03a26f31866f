/** Numbers of Auto's decision at the end of a turn, each with its reason. Times are ms. */

/** What a fingerprint of an answer looks at: two answers that begin alike for so long are the same answer. */
export const FINGERPRINT_CHARS = 2_000;

/** Of a turn, as the typed question sees it: the end of what was asked, and of what was answered. */
export const TYPED_USER_CHARS = 6_000;
export const TYPED_ANSWER_CHARS = 12_000;
/** The same for the chat judge: a small model reads less. */
export const JUDGE_USER_CHARS = 1_500;
export const JUDGE_ANSWER_CHARS = 6_000;
/** A verdict is a word. A reply longer than a short paragraph is none. */
export const VERDICT_CHARS_MAX = 500;

/** How long the typed question, the chat judge, and the judge of a person who watches may take. */
export const TYPED_MS = 15_000;
export const JUDGE_MS = 60_000;
export const DECIDE_MS = 15_000;
/** A decision whose answers have not come by then is given up: the worker that asked has died. */
export const JUDGING_MS_MAX = 180_000;

/** A turn whose end no server confirmed has to stand still so long before anything is sent behind it. */
export const UNCONFIRMED_MS = 120_000;
/** First pause before something is tried again, and the longest; it doubles with each try about the same answer. */
export const RETRY_MS = { first: 5_000, longest: 600_000 } as const;
/** After a message that another one, or another browser's, went before: by then it is known what became of that. */
export const HELD_MS = 60_000;
/** After so many tries about one answer nothing more is tried until the conversation moves. */
export const RETRIES_MAX = 6;

/**
 * Messages that Auto sends one after the other without a person's word or news from the workspace in between. A model that
 * always says "go on" ends here.
 */
export const NUDGES_MAX = 12;
/** The same for those that only the script wanted: it cannot read. */
export const SCRIPTED_MAX = 3;

/** Where an answer says at its end what is still open. */
export const TAIL_CHARS = 2_400;
/** An answer shorter than this, with and without what tools said in it, is a status line and no answer. */
export const SUBSTANTIVE_CHARS = 60;
export const SUBSTANTIVE_BARE_CHARS = 50;
/** The message of a script is a person's continue message and one instruction. */
export const SCRIPT_CHARS_MAX = 4_000;

/** Conversations whose decisions are remembered. */
export const CONVERSATIONS_KEPT = 50;

/** Of the goal: its sentence, its constraints, its todos, its decisions, and turns that are shown. */
export const OBJECTIVE_CHARS = 400;
export const CONSTRAINTS_MAX = 8;
export const CONSTRAINT_CHARS = 200;
export const TODOS_MAX = 12;
export const TODO_CHARS = 160;
export const DECISIONS_MAX = 12;
export const DECISION_CHARS = 300;
export const TURNS_SHOWN = 6;
export const TURN_CHARS = 600;
/** All that the supervisor reads. */
export const SUPERVISOR_CHARS = 6_000;
/** What it may say: one object of a known form. */
export const SUPERVISOR_REPLY_CHARS_MAX = 8_000;
export const MESSAGE_CHARS = 1_200;
export const REASON_CHARS = 300;
export const REFS_MAX = 24;

/** How often the supervisor may continue, and point at recovery, before a person has spoken again. */
export const CONTINUES_MAX = 6;
export const RECOVERS_MAX = 2;
/** Between two questions to the supervisor about one conversation. */
export const SUPERVISOR_PAUSE_MS = 15_000;
