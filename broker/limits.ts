/** Numbers of the broker, each with its reason. */

/** A connection that asks nothing in this time is let go, in ms: the runtime asks at once. */
export const ASK_MS_MAX = 5_000;
