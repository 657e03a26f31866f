/** Every number of the semantic service, with its reason. Times are ms. */

const SECOND = 1000;

/** One try while another route is left: measured answers take 1.1 to 1.4 s at the median and 2.6 s at the tail. */
export const EVALUATE_ATTEMPT_MS = 4 * SECOND;
/** All tries of one question, when whoever asks names no time of his own. */
export const EVALUATE_MS = 10 * SECOND;
/** A chat writes a few sentences; one try, while another route is left, may take half of it. */
export const CHAT_MS = 15 * SECOND;
/** Bounds of a time that a caller names. */
export const CALLER_MS_MIN = 100;
export const CALLER_MS_MAX = 60 * SECOND;

/** A refused key and a wrong address stay wrong until a person changes them. */
export const COOLDOWN_REFUSED_MS = 300 * SECOND;
/** Everything else passes: an overload, a deploy, a broken line. */
export const COOLDOWN_MS = 30 * SECOND;

/** What the edge's pool can do is asked this rarely; it changes with a deploy. */
export const EDGE_STATUS_MS = 60 * SECOND;
/** How long the edge may take to say so. */
export const EDGE_STATUS_PATIENCE_MS = 2 * SECOND;

/** What happened lately, for `semantic status`: enough to see a pattern. */
export const TRACE_KEPT = 64;
