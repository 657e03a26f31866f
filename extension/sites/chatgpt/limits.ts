/** Every number of the ChatGPT adapter, with its reason. */

/** How long the "+" menu and the pill may take, in looks of {@link MENU_LOOK_MS}. Menus of the page draw within a second. */
export const MENU_LOOKS = 30;
export const MENU_LOOK_MS = 100;

/** Time limit of the sign-in question before a snapshot, ms. It reads a cached session. */
export const SESSION_TIMEOUT_MS = 4_000;

/** Largest answer to it that is read, bytes: a token and a few words about the person. */
export const SESSION_MAX_BYTES = 64 * 1024;

/** Time limit of the snapshot itself, ms. A long conversation takes seconds. */
export const SNAPSHOT_TIMEOUT_MS = 6_000;

/** Messages asked for in a snapshot. The turn that matters is the last; the rest is for the back-fill of a journal. */
export const SNAPSHOT_TURNS = 40;

/** Largest snapshot that is read, bytes. Above it the page would stall on parsing. */
export const SNAPSHOT_MAX_BYTES = 8 * 1024 * 1024;

/** Nodes of a tree that are walked back from the current one to find the last question. Tools leave many between. */
export const SNAPSHOT_WALK = 240;

/** Time limit of the list of Projects, ms, its pages, and how long it is believed, ms. */
export const PROJECTS_TIMEOUT_MS = 6_000;
export const PROJECTS_PAGES = 5;
export const PROJECTS_FRESH_MS = 300_000;

/** Longest label that is taken for a button's, characters. Longer text is prose that happens to be a button. */
export const LABEL_MAX_CHARS = 24;

/** Ancestors of a button that are searched for the card that it belongs to. Deeper is the page, not a card. */
export const CARD_DEPTH = 6;

/** How many of the last notices of the site are read, and the longest that is taken for one, characters. */
export const FAILURES_READ = 20;
export const FAILURE_MAX_CHARS = 300;
