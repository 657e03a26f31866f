/** Numbers of a handoff, each with its reason. Times are ms. */

/** Asked again when nobody answered: the runtime was away, or the worker died. All of these questions may be repeated. */
export const ASK_AGAIN_MS = 10_000;
/** A chain that cannot be prepared by then is left where it is: the person waits and sees nothing happen. */
export const PREPARE_MS = 60_000;
/** The browser has had its time, also to load a slow page and to look for its message: now a person looks. */
export const OBSERVE_MS = 180_000;
/** The new chat was proved, but its page cannot be asked. */
export const VERIFY_MS = 90_000;
/** Handoffs that are over and still shown. */
export const HANDED_KEPT = 20;
/** By so much a clock may be put right within one handoff, and its own dispatch seem older than itself. */
export const CLOCK_STEP_MS = 60_000;
/** The service has not said that it has the message: a person who writes on by then is not held up by it. */
export const DELIVER_MS = 60_000;

/** A packet longer than this is no summary. */
export const PACKET_CHARS_MAX = 24_000;
/** The source's model has had its time to sum itself up; one that is still writing then gets this much more, and again. */
export const SUMMARY_MS = 60_000;
export const SUMMARY_AGAIN_MS = 45_000;
/** Nobody waits longer for a summary, whatever is still written. */
export const SUMMARY_LONGEST_MS = 10 * 60_000;

/** A service that has not said by then what became of an ended handoff has nothing of it left: it forgets what nobody took. */
export const ENDING_MS = 10 * 60_000;
