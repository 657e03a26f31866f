/** Numbers of the command tools, each with its reason. */

/** Time left of a caller's patience for the answer itself, in ms. */
export const ANSWER_MARGIN_MS = 1_000;

/** A cut output also shows this much of its end: that is where errors stand. In bytes. */
export const TAIL_BYTES = 4_096;
