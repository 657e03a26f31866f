/** Numbers of the delivery service, each with its reason. Times are ms. */

/** What no browser has claimed by then is given up: a worker that was asleep is back with the minute's alarm or not at all. */
export const CLAIM_WAIT_MS = 40_000;

/** A browser that claimed and fell silent holds its account this long; opening, loading and proving take less. */
export const CLAIMED_SILENT_MS = 120_000;

/** A browser keeps what is put off for at most ten minutes; what it has not confirmed a little later it never will. */
export const CONFIRM_WAIT_MS = 12 * 60_000;

/** How long a caller waits for the proof when nobody says, and the pause between two looks: another generation may serve the browser. */
export const PROOF_WAIT_MS = 30_000;
export const PROOF_LOOK_MS = 100;

/** Told to a caller whose account has another act under way. */
export const BUSY_RETRY_MS = 250;

/** The same key is offered to a browser again this often by itself, and only after it was proved not to be delivered. */
export const RETRIES_MAX = 1;

/** How long a dispatch, and the answer to it, can be looked up. */
export const DISPATCH_TTL_MS = 30 * 24 * 60 * 60_000;

/** Characters of an answer in one page, when nobody says. */
export const RESULT_CHARS_DEFAULT = 20_000;

/** Items of a list when nobody says. */
export const LIST_DEFAULT = 32;

/** A report with every member at its longest, and an answer of the longest length in JSON. */
export const ACTUATION_BODY_BYTES = 1_000_000;

/** Between two tries to tell a local agent that was busy. */
export const TELL_AGAIN_MS = 5_000;
