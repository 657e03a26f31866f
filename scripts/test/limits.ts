/** Numbers of the command that runs the tests. */

/** A check of the whole checkout beside all tests on a slow machine, in ms. */
export const CHECK_MS_MAX = 1_200_000;

/** Rounds of one run: what fails once in a thousand is found by a longer look at it, not by more rounds. */
export const ROUNDS_MAX = 1_000;

/** Characters of a failure's first line that are shown: enough to tell two of them apart. */
export const SAID_CHARS_MAX = 200;
