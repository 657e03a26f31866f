/** Numbers of the cleanup preview, each with its reason. Times are ms. */

/** One Git question; a repository that needs longer on a busy machine gives no evidence, so nothing of it is safe. */
export const GIT_MS = 5_000;
/** Kept of the caller's deadline for the answer's way back; what is not looked at by then is unknown. */
export const MARGIN_MS = 5_000;
export const GIT_BYTES = 512 * 1024;
/** Worktrees and branches that are judged; the rest is counted. */
export const ITEMS_MAX = 200;
/** Git questions at once: the machine also works for somebody. */
export const PARALLEL = 4;
/** Of them, items that are scored when advice is asked for (reference 2.7). */
export const SCORED_MAX = 32;
/** How long advice may take: the facts are complete without it. */
export const ADVICE_MS = 3_000;
