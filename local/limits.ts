/** Numbers of the workstation's common floor, each with its reason. */

/** Longest Unix socket path in bytes: macOS stops at 103 and Linux at 107 with unclear errors, so we stop before both. */
export const SOCKET_PATH_BYTES_MAX = 100;

/** After a program has ended, how long a pipe that a grandchild still holds may keep us, in ms (design, section 3). */
export const PIPE_DRAIN_MS = 250;

/** Between asking a process group to end and ending it, in ms: enough for git to remove its lock files. */
export const TERM_GRACE_MS = 2_000;

/** What {@link run} keeps of each stream unless told otherwise, in bytes. */
export const OUTPUT_BYTES_DEFAULT = 8 * 1024 * 1024;

/** How long a program may run unless told otherwise, in ms. */
export const RUN_MS_DEFAULT = 30_000;

/** How long a writer waits for another process's transaction, in ms, before SQLite says busy. */
export const SQLITE_BUSY_MS = 5_000;

/** Between two tries to turn the write-ahead log on, in ms: longer than the other's own step takes. */
export const WAL_RETRY_MS = 10;

/** A database up to this size is checked whole when it opens, in bytes: about 0.1 s. Above it only `doctor` does. */
export const SQLITE_CHECK_BYTES_MAX = 32 * 1024 * 1024;

/** How long the keychain may take to answer, in ms. A locked one asks a person, and a service has none. */
export const KEYCHAIN_MS = 5_000;

/** A configuration file longer than this is not one, in bytes. */
export const CONFIG_BYTES_MAX = 128 * 1024;

/** How deep a log record is searched for secrets. Nothing that we log is nested deeper. */
export const LOG_DEPTH_MAX = 6;

/** How often a contender looks again when locks change hands under it. Each round means that another process won. */
export const LOCK_ROUNDS_MAX = 50;

/** The next piece of a large message is handed to a socket only when less than this still waits there, in bytes. */
export const SOCKET_BUFFER_LOW = 64 * 1024;

/** How often a look is taken whether calls have ceased: two looks of quiet, and the memory of the last burst is given back. */
export const IDLE_LOOK_MS = 15_000;

/** A timer that comes so much later than due shows that this process did not run, in ms: a busy machine is late by less. */
export const LATE_MS = 1_000;

/** What a peer has to answer after this process has slept, in ms. What lies there is read at once; one that slept as well wakes up. */
export const AWAKE_MS = 2_000;
