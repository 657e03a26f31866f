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

/** Events come in bursts (a new workspace is five of them): one snapshot for the burst (protocol 4.4). */
export const SNAPSHOT_DEBOUNCE_MS = 150;

/** A steady stream of events must not put the snapshot off for ever. */
export const SNAPSHOT_DEBOUNCE_MAX_MS = 500;

/** Some changes cause no event at all (protocol 4.5), so a snapshot is taken this often whatever happens. */
export const SNAPSHOT_INTERVAL_MS = 5_000;

/** Status changes of agents cause no event that covers all panes; they must be noticed within 1.5 s. */
export const AGENT_POLL_MS = 1_000;

/** During an update Herdr's socket is gone for seconds: first wait and longest wait of the back-off (protocol 8.4). */
export const HERDR_BACKOFF_MIN_MS = 250;
export const HERDR_BACKOFF_MAX_MS = 5_000;

/** Events kept for `herdr_since`; at a busy ten a second that is more than three minutes. */
export const EVENT_RING = 2_048;

/** What cursor 0 gives: enough to see what just happened, small enough to read. */
export const EVENTS_AT_ZERO = 64;

/** Audit entries of reads wait so long for company: a commit with FULL durability costs milliseconds, a read less than one. */
export const AUDIT_FLUSH_MS = 2_000;
/** Above this many waiting entries they are written at once, so that a burst does not pile up in memory. */
export const AUDIT_BUFFER = 256;
/** How far back the audit trail reaches: a month answers "what happened last week" and stays a few MB. */
export const AUDIT_TTL_MS = 30 * 24 * 60 * 60 * 1000;

/** How often expired receipts are deleted; they are small and nobody waits for it. */
export const FORGET_INTERVAL_MS = 60 * 60 * 1000;

/** Read results that wait for the link's acknowledgement, together: the oldest go first. Two of the largest fit. */
export const KEPT_READS_BYTES_MAX = 32 * MiB;

/** A call that the other generation runs is looked at this often; its caller waits for the ledger, not for a signal. */
export const FOLLOW_POLL_MS = 50;

/** One `git status` for a hint; a repository that needs longer stays without one rather than holding an inspect up. */
export const GIT_HINT_MS = 5_000;
/** 5,000 changed files fit; beyond that the count is unknown. */
export const GIT_HINT_BYTES = 2 * MiB;
/** Git processes for hints at once: the machine also works for somebody. */
export const GIT_HINT_PARALLEL = 4;
/** Roots remembered; far above any workstation, so reaching it means that something walks around. */
export const GIT_HINTS_MAX = 2_048;
/** How long an inspect waits for hints that must be looked at; what is late stands in the next one. */
export const GIT_HINT_PATIENCE_MS = 800;
/** While an agent works in a root its files change without any other sign: look again after this. */
export const GIT_HINT_WORKING_MS = 5_000;

/** Cut inspects that can be continued; a cursor names one, and the oldest go first. */
export const INSPECT_PAGES_KEPT = 32;
/** Room that is kept in a page for everything beside the lists. */
export const INSPECT_FRAME_CHARS = 6_000;
/** Longest terminal title that is repeated: titles are prose, and prose is long. */
export const TITLE_CHARS_MAX = 120;

/** How long a stopping runtime lets calls finish before it asks them to stop: supervisors send SIGKILL after 10 s. */
export const DRAIN_MS = 5_000;
/** How often expired read results are dropped from memory. */
export const SWEEP_INTERVAL_MS = 15_000;
/** How often a runtime that belongs to another process looks whether that still lives. */
export const PARENT_CHECK_MS = 2_000;
