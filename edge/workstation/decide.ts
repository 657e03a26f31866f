/** The decisions about a call whose way was broken. Pure; the table test names every cell. */
import type { CallClass } from '../../contract/outcome.ts';

export interface MissingFacts {
  callClass: CallClass;
  /** The link that says hello is the same process as the one that it was sent to. */
  sameBoot: boolean;
  /** That process had said that it has the call. `undefined` when this object does not remember. */
  accepted: boolean | undefined;
  /** The link sees the very runtime process that its predecessor saw when the call was sent. */
  sameRuntime: boolean;
  /** The link can see a runtime, so what it lists is all that exists. */
  runtimeKnown: boolean;
  /** How often it was sent. */
  sends: number;
}

/**
 * A call was sent, the link is back, and its hello does not list it.
 *
 * `send`: it certainly never arrived (the same process never had it), or it is a read, or only the link died: the runtime
 * that lives on does not list it, and should it still arrive there, the same dispatch id joins it in the ledger. `wait`:
 * the link's list is not complete yet. `ask`: the process that had it is gone, and only the ledger knows whether it ran.
 * `unknown`: a read that was lost twice.
 */
export function judgeMissing(facts: MissingFacts): 'send' | 'wait' | 'ask' | 'unknown' {
  if (facts.sameBoot && facts.accepted !== true) return 'send';
  if (facts.callClass === 'read') return facts.sends < READ_SENDS_MAX ? 'send' : 'unknown';
  if (!facts.runtimeKnown) return 'wait';
  return !facts.sameBoot && facts.sameRuntime ? 'send' : 'ask';
}

/** A read that was lost with its process is sent once more; twice lost means that the call itself does the harm. */
const READ_SENDS_MAX = 2;

export interface SilenceFacts {
  connectedAtMs: number;
  /** Last automatic answer to a ping, when there was one. */
  lastPingAtMs: number | undefined;
  /** Last frame that this object saw. */
  lastFrameAtMs: number;
  nowMs: number;
  limitMs: number;
}

/** When the peer last gave a sign of life, and whether that is too long ago for the socket to count as alive. */
export function judgeSilence(facts: SilenceFacts): { lastSeenAtMs: number; silent: boolean } {
  const lastSeenAtMs = Math.max(facts.connectedAtMs, facts.lastPingAtMs ?? 0, facts.lastFrameAtMs);
  return { lastSeenAtMs, silent: facts.nowMs - lastSeenAtMs > facts.limitMs };
}

/** Until when a call waits for a link or a runtime that is not there; `nowMs` when it should not wait at all. */
export function graceEndMs(facts: {
  lastSeenAtMs: number | undefined;
  nowMs: number;
  graceMs: number;
  deadlineAtMs: number;
}): number {
  if (facts.lastSeenAtMs === undefined) return facts.nowMs;
  return Math.max(facts.nowMs, Math.min(facts.lastSeenAtMs + facts.graceMs, facts.deadlineAtMs));
}
