/** Numbers of continuity, each with its reason. Those of texts and answers stand in the journal's limits. */

/** Workspace ids with their Herdr's key; a device-aware ref of one is longer (reference: runtime 8). */
export const WORKSPACE_ID_CHARS_MAX = 512;

/** Names of projects and repositories in a search (reference: runtime 8). */
export const PROJECT_ID_CHARS_MAX = 256;
export const REPO_ID_CHARS_MAX = 512;

/** Chains of one `continuity.list` (reference: runtime 8). */
export const LISTED = 10;

/** Candidates of one search (reference: runtime 8). */
export const CANDIDATES_DEFAULT = 5;
export const CANDIDATES_MAX = 10;

/** Chains that one identity may lead to before the rest is only counted as "more": nobody chooses among more. */
export const OWNERS_MAX = 32;

/** Workspaces and conversations named with one chain (reference: runtime 8). */
export const WORKSPACES_SHOWN = 8;
export const CONVERSATIONS_SHOWN = 8;

/**
 * Chains that a search by words alone asks, most recently changed first: each costs some ten microseconds, and nobody has
 * more lines of work than this. Beyond it the answer says that the search was not complete.
 */
export const CHAINS_ASKED = 1_000;

/** What a handoff is for, in one line (reference: runtime 8). */
export const OBJECTIVE_CHARS_MAX = 1_024;
export const HANDOFF_ID_CHARS_MAX = 96;

/** One line of a chain file: a turn of 256 KiB, with every character escaped, and its ids. */
export const FILE_LINE_CHARS_MAX = 4 * 1024 * 1024;

/** Entries that one step of an export or import takes: calls run between two steps. */
export const FILE_STEP = 100;
