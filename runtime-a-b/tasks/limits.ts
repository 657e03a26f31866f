/** Numbers of agent tasks, each with its reason. */

/** An agent that shows no activity for so long may never begin: whether it does is then not known (issue, lesson 34). */
export const ACTIVITY_MS = 10_000;

/**
 * A settle counts for a task only when it still stands so long after it was first seen: agents pause between two tools for
 * less, and a status is a hint (pitfalls: "wake only after a second look"). The wake stays within its 2.5 s.
 */
export const SETTLE_MS = 1_000;

/**
 * A prompt for an agent that has just settled waits so long for that settle to be confirmed, so that the next turn is not
 * taken for the earlier one going on: the second look, one slow poll of the picture and one tick of the other generation.
 */
export const SETTLE_WAIT_MS = 3_000;
export const SETTLE_LOOK_MS = 50;

/** The same for the settle of the turn before: as the event stream confirms it, because the next turn may follow at once. */
export const PRIOR_SETTLE_MS = 250;

/** So long an agent may be missing from the picture before it counts as gone: detection starts anew after a restart. */
export const GONE_MS = 2_000;

/** Another Herdr answers under the address: its ids are not ours. After so long the old one is not coming back soon. */
export const OTHER_SERVER_MS = 60_000;

/** How often open tasks are looked at when Herdr says nothing, for time-outs and for what the other generation wrote. */
export const TICK_MS = 1_000;

/** How often the driver says that it is there while tasks are open. A commit that survives power loss costs milliseconds. */
export const DRIVER_RENEW_MS = 4_000;
/** A driver that is silent for longer is stuck or cannot see Herdr: the other generation goes on. */
export const DRIVER_SILENT_MS = 12_000;

/** Rows of the screen kept as evidence, and their characters together: enough to judge a last message. */
export const EVIDENCE_ROWS = 12;
export const EVIDENCE_CHARS = 2_000;
/** How long one look at a screen may take when a task ends; without an answer the task ends without rows. */
export const EVIDENCE_MS = 2_000;
/** A process's age is told in whole seconds; what was started so soon after the dispatch may be older than it. */
export const AGE_MARGIN_MS = 1_500;
/** Looks at screens at once: Herdr answers one after the other. */
export const EVIDENCE_PARALLEL = 4;

/** How long a finished task can be asked for (reference: 7 days). */
export const TASK_TTL_MS = 7 * 24 * 60 * 60 * 1_000;
/** Tasks deleted at once: the ledger must not wait for a large one. */
export const FORGET_AT_ONCE = 500;

/** Tasks in one inbox answer when nothing is said, and at most (reference 2.2). */
export const INBOX_DEFAULT = 50;
export const INBOX_MAX = 512;

/** Children in one question for advice, and the time for all of it (seed). */
export const ADVISED_MAX = 16;
export const ADVICE_MS = 1_500;
/** Of a child's screen in the question (reference 5.6). */
export const RECENT_CHARS = 8_000;
/** Longest age that is told (reference 5.6): a week. */
export const AGE_MS_MAX = 604_800_000;

/** Tasks in one wake of a local parent (reference 5.5), and its length: it becomes one prompt. */
export const WAKE_TASKS = 32;
export const WAKE_CHARS = 12_000;
/** After a wake that certainly did not arrive, for example because somebody types there, it is tried again after this. */
export const WAKE_RETRY_MS = 15_000;
/** How long a wake may take, its look at the input box and the 10 s for a start included. */
export const WAKE_MS = 20_000;

/** After a prompt the answer waits so long for the turn to be seen; what comes later stands in the task. */
export const START_LOOK_MS = 1_500;

/** A browser that is there has begun to tell of a task this long after its end; then another one tells of the settle. */
export const OWED_MS = 20_000;
