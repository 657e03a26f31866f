/** Numbers of the native host; those that the browser must know too are in contract/extension/native.ts. */

/** A frame above this is passed over and answered; ours are half of it. */
export const FRAME_BYTES_MAX = 1024 * 1024;
/** A length above this is no length: the other side does not speak this protocol, and nothing after it can be found. */
export const FRAME_BYTES_ABSURD = 64 * 1024 * 1024;
/** Between two looks whether this origin is still the registered one, in ms. */
export const OWNER_CHECK_MS = 1_000;
/** A browser that does not answer the check after an install has this long, in ms. */
export const PROBE_MS = 10_000;
/** Requests and streams at the same time in one port: many times what the extension does. */
export const OPEN_MAX = 64;
/** Copies of earlier registrations that are kept. */
export const BACKUPS_KEPT = 5;
