/** Numbers that hold for every site, each with its reason. */

/** How often a text that did not arrive whole is typed again: an editor that has just been mounted drops the first. */
export const INSERT_TRIES = 3;

/** Pauses between looks at the composer after typing, ms. The editor answers within a frame unless the page is loading. */
export const INSERT_SETTLE_MS = [30, 70, 150, 250, 500, 500] as const;

/** Most text of one message that is read, characters: what the continuity journal takes of one turn. */
export const MESSAGE_MAX_CHARS = 262_144;

/** Time limit of the question who is signed in, ms, and the largest answer that is read, characters. */
export const ACCOUNT_TIMEOUT_MS = 4_000;
export const ACCOUNT_MAX_BYTES = 256 * 1024;
