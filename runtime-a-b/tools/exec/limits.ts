/** Numbers of the command tools, each with its reason. */

/** Time left of a caller's patience for the answer itself, in ms. */
export const ANSWER_MARGIN_MS = 1_000;

/** A cut output also shows this much of its end: that is where errors stand. In bytes. */
export const TAIL_BYTES = 4_096;

/** Label of the tabs in which commands of protected folders run (reference: runtime 4.1). */
export const UTILITY_TAB = 'herdr-mcp:utility';

/** Panes of a workspace for commands at once: a server that runs on must not block the next command, yet a person looks on. */
export const UTILITY_PANES_MAX = 4;

/** How long a shell that waits gets to begin a command, in ms; and one that has yet to run its start-up files. */
export const READY_PANE_MS = 5_000;
export const NEW_PANE_MS = 20_000;

/** How long one question to Herdr about a pane may take, in ms: it answers such within milliseconds. */
export const UTILITY_CALL_MS = 5_000;

/** A shell that was interrupted drops what it has read so far, also a line that came too soon; so long we wait, in ms. */
export const AFTER_INTERRUPT_MS = 100;

/** Room for the end of a cut output, in characters. */
export const TAIL_CHARS = 8_000;

/** Background children that are named; `background_children_total` says how many there are. */
export const CHILDREN_NAMED = 20;
