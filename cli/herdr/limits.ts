/** Numbers of `herdr-mcp herdr`, each with its reason. */

/** `ping` is answered without the app: a longer silence means that nobody serves the socket. */
export const PING_MS = 5_000;

/** While nothing is typed a person sees a change after half a second; Herdr asks watchers not to look more often (protocol 6.9). */
export const LOOK_MS = 500;

/** While somebody types he waits for the echo; a look of one screen costs Herdr about a millisecond. */
export const LOOK_TYPING_MS = 80;

/** How long after the last key the faster looks go on: a command's first output still comes quickly. */
export const TYPING_MS = 2_000;

/** Rows of a deep read; Herdr gives no more (protocol 5.1). */
export const LINES_MAX = 1_000;
