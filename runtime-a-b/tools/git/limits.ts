/** Numbers of `herdr_git`, each with its reason. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** How long Git may take (reference: runtime 1.11). */
export const GIT_MS = 15_000;

/** What one call gives without `max_bytes`. */
export const GIT_PAGE_BYTES = 64 * KiB;

/** What is kept of an output to page through; a longer one is cut and said so. */
export const GIT_OUTPUT_BYTES = 32 * MiB;

/** `log` without `max_count`. */
export const LOG_COMMITS = 20;

/** Git's own complaint, shown up to this many characters. */
export const STDERR_CHARS = 2_000;

/** Untracked files described beside an unstaged diff. */
export const UNTRACKED_SHOWN = 100;

/** What is kept of the list of untracked files. */
export const UNTRACKED_BYTES = 1 * MiB;

/** Larger untracked files are called large, not looked into. */
export const UNTRACKED_SNIFF_MAX = 1 * MiB;
