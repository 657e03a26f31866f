/** Every number of the semantic pool, with its reason. Times are ms. */

const SECOND = 1000;

/** A question is asked while something waits for it: better no advice than a late one. */
export const EVALUATE_MS = 3 * SECOND;
/** Of that, one attempt while another route is left: measured answers take 1.1 to 1.4 s at the median. */
export const EVALUATE_ATTEMPT_MS = 2 * SECOND;
/** A chat writes a few sentences. */
export const CHAT_MS = 15 * SECOND;
/** Of that, one attempt while another route is left: two slow ones fit. */
export const CHAT_ATTEMPT_MS = 7 * SECOND;

/** A refused key stays refused until a person changes it. */
export const COOLDOWN_REFUSED_MS = 5 * 60 * SECOND;
/** Everything else passes: an overload, a deploy, a broken line. */
export const COOLDOWN_MS = 30 * SECOND;
