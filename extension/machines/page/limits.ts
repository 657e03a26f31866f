/** Numbers of the page's decisions, each with its reason. Times are ms. */

/** How often the page is looked at. A hidden page is looked at once a second. */
export const TICK_MS = 800;

/** A person's press of Send explains a user turn for this long; a slow page shows it within. */
export const SUBMIT_EXPLAINS_MS = 30_000;

/** How long an answer must not change before its end is asked for: longer than a model pauses between two words. */
export const STILL_MS = 3_000;

/** Between two questions to the site's server about one turn: the conversation API is rate-limited. */
export const PROBE_PAUSE_MS = 15_000;
/** How often that pause doubles for an answer that stays unfinished: two minutes at last. */
export const PROBE_PAUSE_DOUBLINGS = 3;

/** Questions without an answer after which the page's own look decides; then the turn is reported as not confirmed. */
export const PROBES_UNANSWERED = 3;

/** How long a submitted message is looked for on the page before the site's server is asked, and looks between. */
export const CONFIRM_MS = 10_000;
export const CONFIRM_LOOK_MS = 250;

/**
 * How old the worker's leave to submit may be when it is used. The worker gives a submitted message up after two minutes;
 * well before that a page that slept in between sends nothing any more.
 */
export const CLAIM_FRESH_MS = 30_000;

/** How long a ready Send control may take to appear after the text stands in the composer. */
export const SEND_READY_MS = 1_500;

/** Between two looks for an idle moment. */
export const IDLE_LOOK_MS = 200;
