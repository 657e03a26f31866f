/** Numbers of the browser registry, each with its reason. */
import { SOURCE_TURN_REPEAT_MS } from '../../contract/extension/registry.ts';

/** A turn that was reported so lately goes on: two repetitions may be late or lost. */
export const TURN_FRESH_MS = SOURCE_TURN_REPEAT_MS * 3;

/**
 * A turn that nobody reports any more may still go on, in a browser that sleeps: until then it stands in the way of a proof.
 * After it the browser was closed or the site gave up.
 */
export const TURN_DOUBT_MS = 15 * 60_000;

/** How long a user turn is remembered (reference: runtime 7). */
export const TURN_TTL_MS = 24 * 60 * 60_000;

/** A registration is a few hundred bytes; this bounds what is parsed. */
export const REGISTRY_BODY_BYTES = 64 * 1024;

/** A browser that claimed a wake and has not reached Send: its page waits, inserts and looks for less than a minute. */
export const WAKE_CLAIM_MS = 75_000;
/** A browser knows within two minutes whether a message that it let go has arrived; after this it has fallen silent. */
export const WAKE_LEAVE_MS = 180_000;
/** A browser that was closed over a weekend finds what settled meanwhile, and must find that it was told. */
export const WAKE_TTL_MS = 7 * 24 * 60 * 60_000;
