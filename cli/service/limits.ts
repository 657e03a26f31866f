/** Numbers of the user services, each with its reason. */

/** Between two looks of the watchdog, in seconds: a dead supervisor is noticed before a person asks. */
export const WATCHDOG_S = 120;

/** A supervisor that wrote nothing although something is wanted of it for this long hangs, in ms. */
export const STUCK_MS = 5 * 60_000;

/** After a restart the watchdog waits this long, in ms: a start on a busy machine, with its migration, is not a failure. */
export const COOLDOWN_MS = 10 * 60_000;

/** How long the service manager may take, in ms: a stop waits for the supervisor's own end. */
export const MANAGER_MS = 60_000;
