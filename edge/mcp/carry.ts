/**
 * A call to its device's object and back. If the object is reset under it (deploy, eviction, crash), the same dispatch
 * is asked for at the new one: `call` is idempotent by dispatch id, so this is never a second send.
 */
import type { Env } from '../env.ts';
import { REATTACH_DELAYS_MS } from '../limits.ts';
import { logFault } from '../log.ts';
import { type CallInput, type CallReply, uncertain } from '../workstation/index.ts';

/** The caller as far as a call on its way concerns it. */
export interface Caller {
  /** Aborts when the caller goes away. */
  signal: AbortSignal;
  /** Lets work outlive the caller. */
  waitUntil: (work: Promise<unknown>) => void;
}

export async function carry(env: Pick<Env, 'WORKSTATION'>, input: CallInput, caller?: Caller): Promise<CallReply> {
  const { dispatch_id: dispatchId, device_id: deviceId, class: callClass } = input.call;
  const context = { dispatchId, callClass };
  const onAbort = () => caller?.waitUntil(cancel(env, deviceId, dispatchId));
  caller?.signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await env.WORKSTATION.getByName(deviceId).call(input);
      } catch (error) {
        logFault('workstation.call', error, { dispatch: dispatchId, device: deviceId, attempt });
      }
      const delayMs = REATTACH_DELAYS_MS[Math.min(attempt, REATTACH_DELAYS_MS.length - 1)] ?? 0;
      if (Date.now() + delayMs >= input.deadlineAtMs) return { kind: 'failure', failure: uncertain(context) };
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  } finally {
    caller?.signal.removeEventListener('abort', onAbort);
  }
}

async function cancel(env: Pick<Env, 'WORKSTATION'>, deviceId: string, dispatchId: string): Promise<void> {
  try {
    await env.WORKSTATION.getByName(deviceId).cancel(dispatchId, false);
  } catch (error) {
    // The call then ends at its own deadline; nothing else depends on the notice.
    logFault('workstation.cancel', error, { dispatch: dispatchId, device: deviceId });
  }
}
