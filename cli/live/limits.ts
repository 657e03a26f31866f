/** Numbers of looking at the workstation from a terminal, each with its reason. Times are ms. */

/** The state is in memory: a runtime that is there says it at once, also when it is busy. */
export const STATE_MS = 4_000;
/** The runtime asks the edge; a person who asked for the status waits no longer than this for what is elsewhere. */
export const FLEET_MS = 3_000;
/** A runtime that restarts is back within seconds. */
export const RETRY_MS = 1_000;
/** The stream says something at least every 15 s. */
export const SILENT_MS = 25_000;
