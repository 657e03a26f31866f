/** Every number of fleet control, with its reason. Times are ms. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A planner that says nothing for this long has lost its place: longer than a turn, shorter than a coffee. */
export const LEASE_MS_DEFAULT = 5 * MINUTE;
/** Chains kept. A person has a handful; above this something makes them in a loop. */
export const WORK_CHAINS_MAX = 2048;
/** A chain that nobody touched for this long, and that owns no branch, is forgotten when place is needed. */
export const WORK_CHAIN_IDLE_MS = 30 * DAY;
/** Live lanes of one chain: more branches at once than anybody reviews. */
export const LIVE_LANES_MAX = 64;
/** Lanes of one chain that an inspection shows, newest first. */
export const LANES_SHOWN_MAX = 64;
/** Lanes of one chain that are kept; beyond it the oldest that are over go. */
export const LANES_KEPT_MAX = 256;

/** How long the answer to a key is kept. */
export const ANSWER_KEPT_MS = DAY;
/** Kept answers that made something, of everybody together. */
export const ADMISSION_ANSWERS_MAX = 256;
/** Kept answers that changed something, of everybody together. */
export const CONTROL_ANSWERS_MAX = 256;
/** Of those, of one principal: ordinary ones, and takeovers, which must not be crowded out by them. */
export const ROUTINE_ANSWERS_MAX = 96;
export const CRITICAL_ANSWERS_MAX = 32;
