/** Numbers of recovery and page health (reference/extension.md 4.9, 4.10), each with its reason. Times are ms. */

/** An answer whose text has not grown for this long may be lost: models pause for less between two words. */
export const ASSISTANT_STALL_MS = 30_000;
/** The server itself shows no progress for this long; longer where the page still claims to be streaming. */
export const SERVER_STALL_MS = 60_000;
export const SERVER_STALL_STREAMING_MS = 90_000;
/** A turn that is older than this is history: nobody waits for its answer in this view. */
export const TURN_FRESH_MS = 10 * 60_000;
/** An error card that goes away by itself within this is none. */
export const ERROR_SHOWN_MS = 5_000;

/** Between two questions to the site's server about one trouble, doubled each time that nothing came of it. */
export const EXAMINE_PAUSE_MS = 15_000;
export const EXAMINE_DOUBLINGS = 3;
/** A question that nobody answered: the page has gone, or the worker died. */
export const EXAMINE_LOST_MS = 20_000;

/** Per turn: one reload, and one press of the site's own Retry. */
export const RELOADS_MAX = 1;
export const RETRIES_MAX = 1;
/** Between two reloads of one conversation, whatever they were for. */
export const RELOAD_COOLDOWN_MS = 60_000;
/** How long a pressed Retry may take until something of an answer is seen. */
export const RETRY_START_MS = 30_000;
/** After a reload the page is left alone for this long: it mounts its history first. */
export const AFTER_RELOAD_MS = 10_000;

/** An order that was written down and is not known to have been heard is told again, under the same id. */
export const ORDER_AGAIN_MS = 5_000;
/** After that it is about a moment that has passed. Its budget stays spent. */
export const ORDER_EXPIRES_MS = 60_000;

/** A fault of the page counts when it was kept for this long: one spike never acts. */
export const FAULT_KEPT_MS = 30_000;
/** How long the rates of a page must have been measured before they say anything. */
export const UI_SAMPLE_MS = 15_000;
/** After the first reload the fault must persist for this long before the browser reloads the tab. */
export const LEVEL2_AFTER_MS = 30_000;
/** A page's word that the tab may be reloaded holds this long. */
export const LEVEL2_FRESH_MS = 15_000;
/** Between two reloads of a tab by the browser. */
export const LEVEL2_PAUSE_MS = 180_000;
/** A page that was well for this long has a new fault when it falls ill again. */
export const WELL_AGAIN_MS = 10 * 60_000;

/** Per minute: callbacks of the page's mutation observer, and looks of our own; ms: how late a timer is. */
export const MUTATIONS = { warning: 600, high: 2_400 } as const;
export const LOOKS = { warning: 300, high: 900 } as const;
export const DRIFT_MS = { ignored: 150, warning: 1_500, high: 5_000 } as const;
/** Long tasks warn only. */
export const LONG_TASK_MS = 2_000;
export const LONG_TASKS = 4;
/** The rates are counted in windows of this length. */
export const WINDOW_MS = 60_000;
/** Chromium says how large the JS heap is: bytes, or the part of its limit. */
export const HEAP_BYTES = { warning: 1024 ** 3, critical: 1.5 * 1024 ** 3 } as const;
export const HEAP_RATIO = { warning: 0.6, critical: 0.78 } as const;

/** A site that refuses with 429 is left alone for this long, the longer the oftener it has. */
export const BACK_OFF_MS = [30_000, 60_000, 120_000] as const;
/** Refusals that come together count once; after this long without one it begins anew; more than so many count no more. */
export const REFUSAL_TOGETHER_MS = 10_000;
export const REFUSALS_FORGOTTEN_MS = 5 * 60_000;
export const REFUSALS_MAX = 8;

/** A text of the server that is this much longer, and begins alike, is further. */
export const AHEAD_CHARS = 25;
export const ALIKE_CHARS = 160;
/** Of what a page shows, where the end of the server's text is looked for: sources and notes may stand behind it. */
export const ENDING_CHARS = 200;

/** Conversations whose health is remembered. */
export const CHATS_KEPT = 20;

/** How often a page looks at its own health, and how often it tells the worker of a trouble that goes on. */
export const HEALTH_LOOK_MS = 5_000;
export const TELL_AGAIN_MS = 4_000;
/** Between two looks no more than this counts as watched: a page that slept has watched nothing. */
export const WATCHED_MAX_MS = 3_000;
