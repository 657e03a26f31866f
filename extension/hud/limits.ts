/** Numbers of the bar, each with its reason. */

/** Between the bar and the lowest line of the page, CSS px. */
export const BAR_GAP_PX = 6;

/** How long a sentence of ours stays on the bar. */
export const TOAST_MS = 6_000;
