/** Numbers of the questions to GitHub, each with its reason. Times are ms. */

/** One question of the workstation's own `gh`: it starts, signs and waits for the network. */
export const GH_MS = 8_000;
/** Kept of its answer: a hundred checks are about 300 kB. */
export const GH_BYTES = 2 * 1024 * 1024;
/** Longest wait for a change (reference 2.3), and how often is looked. */
export const WAIT_MS_MAX = 20_000;
export const LOOK_MS = 2_000;
/** Checks that an answer names; failures first, the rest is counted. */
export const CHECKS_NAMED = 50;
