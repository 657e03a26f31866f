/** Numbers of one runtime generation, each with its reason. What two planes share stands in `contract/limits.ts`. */

const KiB = 1024;
const MiB = 1024 * KiB;

/** A call to Herdr that names no time of its own: `worktree.create` runs Git on a large repository. */
export const HERDR_CALL_MS = 30_000;

/** No call to Herdr waits longer: it would outlive every caller (contract: 45 s). */
export const HERDR_CALL_MS_MAX = 60_000;

/** Herdr polls accepted sockets every 100 ms and may be busy; below this a healthy server looks dead (protocol 7.5). */
export const HERDR_CALL_MS_MIN = 2_000;

/** `ping` is answered without the app, so a longer silence means that nobody serves the socket. */
export const HERDR_PING_MS = 5_000;

/** Herdr drops a longer request line without a reply (protocol 1.6). */
export const HERDR_REQUEST_BYTES_MAX = 1 * MiB;

/** A snapshot of 500 panes is well under 2 MiB and a deep ANSI read under 1 MiB; this bounds a server gone mad. */
export const HERDR_ANSWER_BYTES_MAX = 16 * MiB;
