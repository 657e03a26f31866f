/** Numbers of the worker's decisions, each with its reason. Times are ms. */

/** An entry, the entries and the merged message of one conversation's Queue: what a person can still oversee. */
export const QUEUE_ENTRIES_MAX = 20;
export const QUEUE_ENTRY_CHARS_MAX = 12_000;
export const QUEUE_BATCH_CHARS_MAX = 24_000;
/** Words that were meant for a moment a week ago are not sent by themselves. */
export const QUEUE_AGE_MAX_MS = 7 * 24 * 60 * 60_000;
/** A clock that was put back must not make an entry immortal. */
export const QUEUE_FUTURE_MAX_MS = 60_000;

/** A clock that is put right by less than this only makes a pause so much longer. */
export const CLOCK_STEP_MS = 60_000;

/** How long a page may wait for an idle moment: a person who pressed a button watches; nobody watches a wake. */
export const WAIT_MANUAL_MS = 1_200;
export const WAIT_AUTO_MS = 15_000;

/** A page that was told to send and says nothing is asked again after this long. It waits, inserts and looks for less. */
export const HANDED_SILENT_MS = 60_000;
/** A submitted message that no page can find is uncertain after this long; a slow page has mounted its history by then. */
export const SUBMITTED_UNPROVEN_MS = 120_000;
/** Between two looks for a submitted message. */
export const PROBE_PAUSE_MS = 10_000;
/** After a message was refused by the page for a reason that does not end by itself in a moment. */
export const BLOCKED_PAUSE_MS = 30_000;
/** A press of a button is about this moment: later nobody expects it any more. */
export const MANUAL_EXPIRES_MS = 30_000;
/** A message of Auto is about the answer that was judged: after this the page is read again first. */
export const JUDGED_EXPIRES_MS = 10 * 60_000;

/** Another browser's handoff of a chat stands as long as the runtime remembers it. */
export const HANDED_OVER_MS = 7 * 24 * 60 * 60_000;

/** Finished deliveries that are remembered, for the bar and so that a late answer finds what it is about. */
export const DELIVERIES_KEPT = 50;
/** Ended bindings that are shown. */
export const RETIRED_KEPT = 20;
/** Stream positions and settle keys of panes that are gone; more panes than a workspace has. */
export const PANES_REMEMBERED = 200;

/** Of a message: an agent's output, the list of panes, a pane's title and its folder, the whole message. */
export const OUTPUT_CHARS_MAX = 4_000;
export const ROSTER_CHARS_MAX = 6_000;
export const TITLE_CHARS_MAX = 120;
export const FOLDER_CHARS_MAX = 60;
export const TASKS_MESSAGE_CHARS_MAX = 12_000;
export const TASKS_TOLD_MAX = 16;
/** What a fingerprint looks at: the end of the output is where news are. */
export const FINGERPRINT_CHARS = 1_200;

/** A message whose words are a person's own: everything that a fact may take, and the words around it. */
export const WAKE_CHARS_MAX = 24_000;

/** The manual Continue message and the templates, as a person may write them. */
export const MESSAGE_CHARS_MAX = 4_000;
/** Chrome runs an alarm at most twice a minute. 0 switches progress off. */
export const TICK_SECONDS_MIN = 30;
export const TICK_SECONDS_DEFAULT = 60;
export const FALLBACK_SECONDS_DEFAULT = 1_200;
export const SECONDS_MAX = 24 * 60 * 60;

/** How long it is believed which small models there are: the runtime itself asks its pool no oftener. */
export const SERVICES_FRESH_MS = 60_000;

/** What the runtime has not confirmed is told again: one that was away is back within. */
export const CONFIRM_AGAIN_MS = 20_000;
