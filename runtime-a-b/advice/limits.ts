/** Numbers of the advisers, each with its reason. */

/** Children in one question, and the time for all of it (seed): the inbox is complete without the answer. */
export const CHILDREN_MAX = 16;
export const ATTENTION_MS = 1_500;
/** One child's last rows as a caller may give them (reference 5.6). */
export const RECENT_CHARS = 8_000;
/** All of a question's state together: the edge takes 64 KiB, and characters may have three bytes. */
export const STATE_BYTES = 48 * 1024;

/** Below half, the other choices together are likelier than the one that was given. */
export const CHOICE_SURE_FROM = 0.5;

/** Advice for a plan, a closeout or an order of checks: whoever asks reads the rest of the answer meanwhile. */
export const ADVICE_MS = 3_000;

/** Changed files and checks in one answer (reference 2.1). */
export const FILES_MAX = 64;
export const CHECKS_MAX = 32;

/** One Git question about what a task changed; a repository that needs longer, on a busy machine, answers "unknown". */
export const GIT_MS = 8_000;
export const GIT_BYTES = 512 * 1024;
/** Entries of the reflog that are looked at: what a day of busy work makes. */
export const REFLOG_MAX = 200;
/** Longest file that is read to find a project's checks. */
export const PROJECT_FILE_BYTES = 256 * 1024;
