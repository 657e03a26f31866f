/** Numbers of the Side Panel, each with its reason. Times are ms. */

/** Between two tries to reach the worker. It is stopped often and is back at once; a reload takes longer. */
export const RECONNECT_MS = { first: 200, longest: 3_000 } as const;
/** A hidden panel shows nobody anything: what came meanwhile is folded in this often. */
export const HIDDEN_FLUSH_MS = 1_000;
/** What scrolls past is not looked at: only where the eye has rested this long is read. */
export const REST_MS = 400;
/** How often the times that something has been so go on. */
export const CLOCK_MS = 1_000;
/** Workspaces that stand open at first, beside those in which something happens. */
export const OPEN_AT_FIRST = 3;
/** From so many panes on a field to find one is shown. */
export const FIND_FROM_PANES = 12;
/** What is on its way for another panel is asked about this often. */
export const OTHERS_MS = 10_000;
/** Events that wait for a state: it comes within seconds, and brings whatever is older. */
export const EVENTS_HELD_MAX = 2_000;
/** Folded events that are kept for a state that is on its way and older than they are: it takes seconds at most. */
export const EVENTS_KEPT = 500;
