/** Numbers of `npm start`, each with its reason. */

/** The edge's port at the first start when it is free; what clients were once given is kept. */
export const EDGE_PORT = 8787;

/** How many ports after {@link EDGE_PORT} are tried: a person has one or two clones, not more. */
export const EDGE_PORTS_TRIED = 100;

/** How long the port of before may stay taken, in ms: the edge of a start that was killed ends within half a second. */
export const PORT_WAIT_MS = 3_000;

/** How often it is tried meanwhile, in ms. */
export const PORT_POLL_MS = 100;

/** Of the installed product; a clone never takes them. */
export const INSTALLED_PORTS: ReadonlySet<number> = new Set([8772, 8773]);

/** How long one process may take to become ready, in ms. On a busy machine the first start reads cold files. */
export const READY_MS_MAX = 60_000;

/** How often start looks whether whoever started it is still there, in ms. */
export const PARENT_CHECK_MS = 500;

/** How often start looks whether the link is connected, in ms. */
export const CONNECTED_LOOK_MS = 50;

/** What left its session's process group gets this long after SIGTERM before it is ended, in ms. */
export const STRAY_MS = 500;

/** Longest answer that is taken for a secret or an address, in characters; the edge looks at 512 of a bearer. */
export const SECRET_INPUT_CHARS_MAX = 512;

/** Processes between us and npm: its shell, and the older Node that went on under a newer one; one to spare. */
export const LAUNCHERS_MAX = 4;

/** How often a first start may find that somebody was quicker at the port that it chose. */
export const EDGE_STARTS = 5;

/** Above the ports that products use by habit, below those that Linux (32,768) and macOS (49,152) hand out by themselves. */
export const FREE_PORT_FIRST = 12_000;
export const FREE_PORT_LAST = 32_000;
