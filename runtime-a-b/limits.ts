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

/**
 * A snapshot of hundreds of panes takes a second on a machine in trouble. `ping` is answered beside the app, so a silent
 * snapshot is the only sign that the app hangs; until then writes go by a picture that is no older than this and a poll.
 */
export const HERDR_SNAPSHOT_MS = 10_000;

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
export const AGENT_POLL_MS = 750;

/** Panes whose statuses one stream follows; four times the agents of a crowded workstation. The others are polled. */
export const STATUS_STREAM_PANES_MAX = 200;

/**
 * Two looks this far apart must agree before an agent counts as working or settled: screens flicker for a frame or two.
 * Poll, debounce and the three slow answers of a busy Herdr (protocol 1.4) stay together under the promised 1.5 s.
 */
export const PUSH_DEBOUNCE_MS = 250;

/** Events kept for a reader who comes back: far more than happens in the seconds of a reconnect. */
export const PUSH_RING = 1_024;

/** A stream says something at least this often: the extension gives a silent one up after 22 s. */
export const PUSH_KEEP_ALIVE_MS = 15_000;

/** What a reader is told to wait before he connects again. */
export const PUSH_RETRY_MS = 2_000;

/** Unread bytes of one stream; 500 panes make a hello of about 300 kB. A reader who has stopped is let go. */
export const PUSH_UNREAD_BYTES_MAX = 4 * MiB;

/** Panes that somebody looks at are considered this often; a person sees a change within two seconds. */
export const LINE_SWEEP_MS = 700;
/** A pane is read this often while its agent works; otherwise a change of its state is the reason, or a shell that goes on. */
export const LINE_WORKING_MS = 1_400;
export const LINE_IDLE_MS = 3_000;
/** Reads of one sweep: each costs Herdr about a millisecond, and a person's own work goes first. */
export const LINE_READS_AT_ONCE = 16;
/** Windows and terminals that look at once. */
export const WATCHERS_MAX = 8;

/** How long the edge may take to list the fleet, and how long its list is believed by those who look at the same time. */
export const FLEET_PATIENCE_MS = 8_000;
export const FLEET_FRESH_MS = 3_000;

/** A prompt of 65,536 characters of up to four bytes, written as JSON, and its target. */
export const CONTROL_BODY_BYTES_MAX = 512 * KiB;
/** An action of a person: the same patience as any call. */
export const CONTROL_MS = 45_000;

/** How often a runtime that could not have the extension's socket tries again: the generation before it must end first. */
export const EXTENSION_SOCKET_RETRY_MS = 1_000;

/** The end of a stream and of an answered request reach a reader of this machine in far less. */
export const EXTENSION_CLOSE_MS = 500;

/** A live server accepts at once; one that does not even refuse in this time is left alone. */
export const EXTENSION_SOCKET_PROBE_MS = 2_000;

/** A body on the extension's own routes: a turn of the conversation, whose text the journal bounds by itself. */
export const EXTENSION_BODY_BYTES_MAX = 2 * MiB;

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

/** A key that ends within this is not relied on: a call that is let through as a repetition must not become a new one. */
export const KEY_ENDS_MS = 60_000;

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
/**
 * How long a stopping runtime waits for its connections when everything is answered. Who takes no answer for so long is
 * stopped himself, and asks again elsewhere; with {@link DRAIN_MS} this is still below 10 s.
 */
export const CONNECTIONS_MS = 1_000;
/** How often expired read results are dropped from memory. */
export const SWEEP_INTERVAL_MS = 15_000;
/** How often a runtime that belongs to another process looks whether that still lives. */
export const PARENT_CHECK_MS = 2_000;

/** Herdr presses Enter 300 ms after it typed a prompt (protocol 6.6); nothing else may reach the pane before. */
export const ENTER_DELAY_MS = 400;
/**
 * A call that still waits for its turn this long before its caller's deadline is withdrawn. Calls only queue on a machine
 * that is busy, where an answer's way back through link and edge takes seconds, and one that comes late is told as unknown.
 */
export const TURN_MARGIN_MS = 3_000;
/** An agent that has not begun by then may never: the answer says so instead of waiting on. */
export const START_SEEN_MS = 10_000;
/** How often an agent is looked at after a prompt: Herdr's own screen rules need 100 to 300 ms. */
export const AGENT_WATCH_MS = 200;
/** Kept of a caller's deadline for the answer's way back. */
export const ANSWER_MARGIN_MS = 1_500;

/** `herdr api schema` prints about 120 kB in some milliseconds. */
export const HERDR_SCHEMA_MS = 5_000;
export const HERDR_SCHEMA_BYTES = 4 * MiB;
/** How long a listing waits for it the first time; afterwards an old answer is given meanwhile. */
export const HERDR_SCHEMA_PATIENCE_MS = 1_000;
/** How long it is believed: an update of Herdr changes its version, which asks anew at once. */
export const HERDR_SCHEMA_TTL_MS = 60_000;
/** Herdr's own time-out answers first; ours only catches a server that never does. */
export const WAIT_SLACK_MS = 3_000;
/** How long a changing call waits for the new picture, so that the next call sees what it did. */
export const REFRESH_AFTER_WRITE_MS = 1_000;

/** `herdr --skill` prints a text that lies in its binary. */
export const HERDR_REFERENCE_MS = 5_000;
/** Of Herdr's own reference; the guide and the status take the rest of a bounded answer. */
export const HERDR_REFERENCE_BYTES = 60 * KiB;

/** An inspect in which nothing changed is believed so long: what has no event (a `git init`, an edit by hand) shows after it. */
export const INSPECT_FRESH_MS = 1_000;
/** Such answers that are kept: one a scope that somebody looks at now, each up to 100 kB. */
export const INSPECT_KEPT = 8;
/** Commands that an inspect lists; herdr_exec_read knows all of them by their ids. */
export const SESSIONS_LISTED = 10;
/** How often a wait for output looks: a reader notices no less, and a look is two small reads. */
export const EXEC_WAIT_LOOK_MS = 200;

/** An agent that works shows the echo of its last prompts; more than these have scrolled away. For each terminal. */
export const OWN_PROMPTS_KEPT = 16;

/** Terminals whose last prompts are remembered: far more than anybody has open, and at most a few MB. */
export const OWN_TERMINALS_KEPT = 64;

/** A turn takes minutes; a line that says the same an hour later was typed by somebody else. */
export const OWN_PROMPT_MS = 60 * 60 * 1_000;

/** Copies of the database that are kept: the one to go back to, and two in case that is noticed late. */
export const BACKUPS_KEPT = 3;
/** How long a program waits for another one's migration: a copy of a few GB takes less, in ms. */
export const MIGRATION_LOCK_MS = 60_000;
export const MIGRATION_POLL_MS = 20;

/** Commands that a pause lists, the running ones first; a workstation rarely has ten. */
export const SESSIONS_SAID = 100;

/** How often a runtime looks whether the pointer gave the extension's socket to the other generation: one stat. */
export const STANDING_LOOK_MS = 250;

/**
 * How long a dispatch that never arrived is kept from running, in ms. What waits in a dead link's sockets is read within
 * seconds; this is far above that and bounds the list.
 */
export const FENCE_MS = 10 * 60_000;

/** Calls of one stream that have not been answered. The link runs 64 at once; more is a peer that lost count. */
export const CALLS_PER_STREAM_MAX = 1_024;

/** Bytes of one stream's calls that have not all come: the link sends 64 side by side, which at their largest are 80 MiB. */
export const ARRIVING_BYTES_MAX = 96 * 1024 * 1024;
