/** Numbers of the roots and their checks, each with its reason. */

/** How long the place of a directory is believed before it is looked at again, in ms: `git init` shows within a call or two. */
export const PLACE_TTL_MS = 1_000;

/** A directory that does not answer in this time (a dead network mount) is unreachable for now, in ms. */
export const PLACE_PROBE_MS = 2_000;

/**
 * That time is counted in this many steps: a runtime that is busy itself (a hundred commands started at once) takes one step
 * a turn at most, and the directory's answer, which needs some ten turns, comes first.
 */
export const PLACE_PROBE_STEPS = 40;

/** Places kept in memory. A workstation shows some hundreds of directories; this bounds one that walks around. */
export const PLACES_MAX = 4_096;

/** Roots named in the text of a refusal; a model needs a hint, not an inventory (`herdr_inspect` is that). */
export const ROOTS_NAMED_MAX = 20;

/** Longest path in bytes that the kernel takes (PATH_MAX on Linux; macOS stops at 1,024 by itself). */
export const PATH_BYTES_MAX = 4_096;

/** How long Git may take to say whether files are dirty, in ms. */
export const DIRTY_GIT_MS = 15_000;

/** Git's answer about the files of one patch, in bytes: a patch names some dozens of files. */
export const DIRTY_GIT_BYTES = 4 * 1024 * 1024;

/** How far the swap check retries when an editor replaces the file at that very moment. */
export const OPEN_TRIES = 3;
