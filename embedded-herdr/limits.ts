/** Every number of the embedded Herdr, with its reason. Those of Herdr itself are cited from reference/herdr-protocol.md. */

/** What we say we are: parses as a prerelease of the version whose behaviour is copied. */
export const VERSION = '0.8.0-embedded.1';
/** The protocol number of 0.8.0 (1.1). */
export const PROTOCOL = 19;

/** A request line, without its newline (1.6). */
export const MAX_LINE_BYTES = 1024 * 1024;
/** Time to send the line after connecting (1.6). */
export const LINE_TIMEOUT_MS = 5_000;
/** A peer that takes nothing for so long is cut off (1.6). */
export const WRITE_TIMEOUT_MS = 5_000;
/** Bytes that may wait for a subscriber that reads slowly before it counts as stuck: far above a full replay. */
export const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** At the end, what was already answered gets so long to reach its caller. */
export const CLOSE_LINGER_MS = 250;
/** How long a bind waits for a socket that is already there to prove that somebody lives behind it. */
export const LIVE_SOCKET_PROBE_MS = 1_000;

/** Size of a terminal that nobody is attached to (7.5). */
export const COLUMNS = 80;
export const ROWS = 24;
/** Rows kept above the screen. At 80 columns a row costs about 1 kB, so a full pane costs 4 MB and 200 of them 800. */
export const SCROLLBACK_ROWS = 4_000;
/** Output read from a PTY but not yet drawn: above the first the PTY is paused, below the second it goes on. */
export const PAUSE_ABOVE_CHARS = 512 * 1024;
export const RESUME_BELOW_CHARS = 128 * 1024;
/** Input that a program has not taken: beyond it a write fails instead of filling our memory. */
export const MAX_UNTAKEN_INPUT_BYTES = 2 * 1024 * 1024;
/** Rows that one read may ask for, and what it gets without asking (5.2). */
export const MAX_READ_LINES = 1_000;
export const DEFAULT_RECENT_LINES = 80;
/** A regex of a caller may run so long over one line before it is refused: ours backtracks, Rust's does not. */
export const REGEX_BUDGET_MS = 100;

/** A waiting match follows output and only bundles a burst; Herdr's own poll would come after 100 ms. */
export const OUTPUT_BURST_MS = 20;
/** Kitty's own limit of pushed keyboard flags; the oldest go first. */
export const KEYBOARD_STACK = 16;
/** Ratios outside are drawn in, as Herdr does: a pane never vanishes (2.6). */
export const RATIO_AT_LEAST = 0.1;
export const RATIO_AT_MOST = 0.9;
/** Half each, when nothing else is asked (3.5). */
export const RATIO_EVEN = 0.5;

/** One round of the watch over panes: the pace of Herdr's own polls (1.6). */
export const TICK_MS = 100;
/** How often the foreground of a pane is looked at (2.9). */
export const PROBE_UNIDENTIFIED_MS = 500;
export const PROBE_IDENTIFIED_MS = 300;
/** The members of a foreground group are read again when it changes, so often for an agent, and so long after output. */
export const REREAD_IDENTIFIED_MS = 5_000;
export const REREAD_AFTER_OUTPUT_MS = 8_000;
/** How long a reading of the whole process list serves all panes: less than the shortest probe. */
export const PROCESS_LIST_MS = 90;
/** macOS's `ps` costs tens of milliseconds: asked at the pace of the fastest probe, and `lsof` for directories rarely. */
export const MACOS_LIST_MS = 250;
export const MACOS_CWD_MS = 2_000;
/** One `ps` or `lsof`: seconds mean a machine in trouble, and the next round asks again. */
export const MACOS_ASK_MS = 5_000;
/** What `ps` prints for thousands of processes with long command lines. */
export const MACOS_ASK_BYTES = 16 * 1024 * 1024;
/** Screen rules are ignored for so long after first sight: start-up screens look like anything (2.9). */
export const GRACE_MS = 3_000;
/** working→idle without evidence: so many looks, this far apart, but never longer than that (2.9). */
export const IDLE_CONFIRMATIONS = 3;
export const IDLE_CONFIRM_EVERY_MS = 100;
export const IDLE_CONFIRM_AT_MOST_MS = 700;
/** Between two signals of HUP, TERM, KILL to a closed pane (7.5). */
export const SIGNAL_STEP_MS = 250;

/** Between a prompt's text and its Enter (6.6). */
export const PROMPT_ENTER_MS = 300;
/** How long a prompt waits for any change of state before it counts as stalled (6.6). */
export const PROMPT_STALL_MS = 5_000;
/** Limits and default of `agent.start`'s `timeout_ms` (3.8). */
export const START_TIMEOUT_ABOVE_MS = 3_000;
export const START_TIMEOUT_AT_MOST_MS = 300_000;
export const START_TIMEOUT_MS = 30_000;

/** Lifecycle events kept for replay, all kinds together (4.4). */
export const RING_EVENTS = 512;

/** Metadata limits (3.7). */
export const METADATA_TEXT_CHARS = 80;
export const METADATA_TOKENS_PER_CALL = 16;
export const METADATA_TOKENS_KEPT = 32;
export const METADATA_TTL_AT_MOST_MS = 86_400_000;
/** Sources whose sequence numbers are remembered per pane; Herdr has a limit too and does not say which. */
export const SEQUENCE_SOURCES = 64;

/** One git command (worktree calls); a fetch hook or a slow disk may need long, a hung one must end. */
export const GIT_TIMEOUT_MS = 60_000;
/** Output of one git command: a list of thousands of worktrees fits. */
export const GIT_OUTPUT_BYTES = 8 * 1024 * 1024;

/** How long a found checkout stands: a repository made meanwhile shows this much later in a label, and nowhere else. */
export const CHECKOUT_KEPT_MS = 5_000;
/** Directories whose checkout is remembered; above it all are forgotten, which costs one look each. */
export const CHECKOUTS_KEPT = 1_000;

/** The saved layout is written so long after the last change, so that a burst costs one write. */
export const SAVE_AFTER_MS = 200;
/** Directories of shells change without an event; they are kept this often. */
export const SAVE_EVERY_MS = 10_000;
/** A timer of Node takes no more than this; a longer wait would end at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How often the parent's life is looked at when one was named. */
export const PARENT_CHECK_MS = 1_000;
