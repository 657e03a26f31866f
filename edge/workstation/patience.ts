/** Until when a call that cannot be sent now waits for that to change, and what it is told when it did not. Pure. */
import type { Failure } from '../../contract/outcome.ts';
import { RECONNECT_GRACE_MS, RUNTIME_GRACE_MS } from '../limits.ts';
import type { Link } from './connections.ts';
import { graceEndMs } from './decide.ts';
import * as told from './failures.ts';

export interface Patience {
  /** ms since 1970; not after now when there is nothing to wait for. */
  endMs: number;
  failure: (context: told.FailureContext) => Failure;
}

/** No link is there. One that was there lately is expected back. */
export function forLink(lastSeenAtMs: number | undefined, deadlineAtMs: number, nowMs: number): Patience {
  const endMs = graceEndMs({ lastSeenAtMs, nowMs, deadlineAtMs, graceMs: RECONNECT_GRACE_MS });
  const waits = endMs > nowMs;
  return { endMs, failure: waits ? told.reconnecting : (context) => told.workstationOffline(context, lastSeenAtMs) };
}

/** The link takes no calls: it is about to stop and another follows, or its runtime is being started or switched. */
export function forRuntime(
  { draining, runtimeGoneAtMs }: Pick<Link, 'draining' | 'runtimeGoneAtMs'>,
  deadlineAtMs: number,
  nowMs: number,
): Patience {
  return draining
    ? {
        endMs: graceEndMs({ lastSeenAtMs: nowMs, nowMs, deadlineAtMs, graceMs: RECONNECT_GRACE_MS }),
        failure: told.draining,
      }
    : {
        endMs: graceEndMs({ lastSeenAtMs: runtimeGoneAtMs, nowMs, deadlineAtMs, graceMs: RUNTIME_GRACE_MS }),
        failure: told.runtimeUnavailable,
      };
}
