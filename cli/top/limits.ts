/** Numbers of `herdr-mcp top`, each with its reason. Times are ms. */

/** The times that something has been so go on once a second. */
export const CLOCK_MS = 1_000;
/** Events of one moment are told together: a new workspace alone is five of them. */
export const GATHER_MS = 150;
