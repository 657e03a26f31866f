/** Numbers of the A/B machinery, each with its reason. */

/** How long a command waits for another one that changes `desired.json`, in ms: a write takes milliseconds. */
export const DESIRED_LOCK_MS = 5_000;

/** How often it tries meanwhile, in ms. */
export const DESIRED_POLL_MS = 10;
