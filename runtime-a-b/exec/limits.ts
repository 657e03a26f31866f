/** Numbers of running commands, each with its reason. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** Kept of each stream; above it the middle is dropped and said so (issue: output is never lost silently). */
export const STREAM_BYTES_MAX = 64 * MiB;

/** Of a stream that is too long, this much of the beginning stays; the rest of the room belongs to the end. */
export const STREAM_HEAD_BYTES = 32 * MiB;

/** A stream is trimmed again only after it grew this much more: each trim is a process. */
export const TRIM_STEP_BYTES = 8 * MiB;

/** Holes begin and end at whole pages of the file system, or nothing is freed. */
export const HOLE_ALIGN = 4 * KiB;

/** How long the program that makes the hole may run, in ms. */
export const TRIM_MS = 10_000;

/** How often running commands are looked at, in ms: to trim, and to note in which order the streams grew. */
export const TICK_MS = 250;

/** The first look comes sooner, because most that a short command prints comes at once. */
export const FIRST_TICK_MS = 20;

/** While a command runs only whole lines are put in order; a line longer than this is not waited for. */
export const LINE_WAIT_BYTES = 64 * KiB;

/** Between asking a command's processes to end and ending them, in ms (reference: runtime 1.14). */
export const KILL_GRACE_MS = 1_500;

/** After this time processes that were too young for the first signal get it again, in ms, and how young that is. */
export const KILL_AGAIN_MS = 100;
export const YOUNG_MS = 200;

/** After the last signal, how long the kernel gets to take the processes away, in ms. */
export const KILL_SETTLE_MS = 500;

/** How often a kill looks whether the processes are gone, in ms. */
export const KILL_POLL_MS = 20;

/** Every so many looks a kill reads all processes, which costs far more than asking whether the group exists. */
export const LOOKS_PER_SCAN = 15;

/** A command of another generation is watched by its files; this is how often they are looked at when no event comes. */
export const FOREIGN_POLL_MS = 250;

/** So long after a change of its files a command of another generation is looked at, in ms: its wrapper ends just then. */
export const FOREIGN_SETTLE_MS = 20;

/** Ended sessions are kept as long as receipts are, in ms. */
export const SESSION_KEEP_MS = 24 * 60 * 60 * 1_000;

/** Ended sessions together may take this much room; the oldest go first. */
export const SESSIONS_BYTES_MAX = 2 * 1_024 * MiB;

/** Sessions kept at most; a list of more is of no use to anybody. */
export const SESSIONS_MAX = 2_000;

/** How often old sessions are looked for, in ms. */
export const SWEEP_MS = 60 * 60 * 1_000;

/** Linux takes no single argument above 128 KiB; a longer command is read from a file. */
export const COMMAND_ARGUMENT_BYTES = 100 * KiB;

/** `herdr_exec` without `timeout_ms` waits this long (reference: runtime 1.15). */
export const EXEC_WAIT_MS = 30_000;

/** `herdr_exec_read` without `limit`. */
export const READ_BYTES = 64 * KiB;

/** How long a probe of the login environment may run, in ms: start-up files of 31 s were reported, and nobody waits so long. */
export const PROBE_MS = 40_000;

/**
 * How long commands wait for the first probe of start-up files, all of them together and counted from its begin, in ms.
 * Afterwards they start with what is known.
 */
export const PROBE_PATIENCE_MS = 3_000;

/** What start-up files left running may take to end after SIGHUP before SIGKILL, in ms: giving a lock back takes less. */
export const PROBE_END_MS = 1_000;

/** How often it is looked meanwhile, in ms. */
export const PROBE_END_LOOK_MS = 25;

/** A snapshot is refreshed after this time even if no start-up file changed: they may read others, in ms. */
export const PROBE_AGE_MS = 12 * 60 * 60 * 1_000;

/** After a failed probe the same start-up files are tried again only after this time, in ms. */
export const PROBE_RETRY_MS = 10 * 60 * 1_000;

/** An environment larger than this is not one, in bytes: the kernel would take no program with it. */
export const ENVIRONMENT_BYTES_MAX = 2 * MiB;

/** A session whose wrapper has not written its pid after this time never started, in ms. */
export const START_MS = 10_000;

/** How often jobs of start-up files are looked for and ended: each round catches what the last one was just starting. */
export const END_ROUNDS = 5;

/** Sessions whose order of output is kept in memory: those that run and those that are being read. */
export const ORDERS_KEPT = 64;

/** A folder made ahead is used within this time, in ms; older unused ones are left to the sweep, which waits longer. */
export const AHEAD_MS = 60 * 60 * 1_000;

/** How often sessions of generations that have gone are looked for, in ms: their output may grow so long unseen. */
export const FOLLOW_SCAN_MS = 30_000;

/** How often it is looked whether a pane has begun to run its command, in ms. */
export const PANE_LOOK_MS = 25;

/** After so many looks (1 s) the line is typed again: a shell that was just interrupted may have dropped it. */
export const LOOKS_PER_TYPING = 40;
