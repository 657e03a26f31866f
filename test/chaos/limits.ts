/** Numbers of the chaos run, each with its reason. */

/** Calls under way at once: enough that every fault meets several, few enough for two cores. */
export const CALLERS = 8;

/** One fault for so many calls: the parts are back before the next one most of the time, but not always. */
export const CALLS_PER_FAULT = 8;

/** A fault strikes up to so long after its call has begun, in ms: before, while and after the command runs. */
export const FAULT_DELAY_MS = 300;

/** Longest pause inside a command, in ms: about as long as a fault's delay, so that half of them strike into it. */
export const COMMAND_MS = 250;

/** The edge answers every call within 45 s; a caller that hears nothing for longer was lied to. */
export const CALLER_WAITS_MS = 60_000;

/** How often is looked whether a part is back, in ms. */
export const LOOK_MS = 50;

/** How long after the last call everything may take to come back and settle, in ms. */
export const SETTLE_MS = 60_000;
