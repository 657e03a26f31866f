/** Numbers of what a person does to panes. Times are ms. */

/** What is on its way is not taken for lost before this: as long as the worker waits for an answer, and its way. */
export const IN_FLIGHT_MS = 60_000;
/** Finished acts that are shown, each under its pane. */
export const ACTS_KEPT = 20;
