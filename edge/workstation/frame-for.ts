import { FRAME_BYTES_MAX } from '../../contract/limits.ts';
import { encodeFrame, type RuntimeFacts } from '../../contract/link/index.ts';
import type { Failure } from '../../contract/outcome.ts';
import * as told from './failures.ts';
import { fitArguments } from './fit.ts';
import type { PendingCall } from './pending.ts';

type Ready = { ok: true; frame: Uint8Array<ArrayBuffer> } | { ok: false; failure: Failure };

/** The call as a frame for the link before this runtime, or why they cannot take it. */
export function frameFor(pending: PendingCall, runtime: RuntimeFacts, nowMs: number): Ready {
  const no = (failure: Failure): Ready => ({ ok: false, failure });
  // One that came here too late is not sent any more: nobody waits for it, and what it did would be told as unknown.
  if (pending.sends === 0 && pending.deadlineAtMs <= nowMs) return no(told.timedOut(pending.context, false));
  const epoch = runtime.contract_epoch;
  const fitted = fitArguments(pending.call.tool, pending.args, epoch);
  if (!fitted.ok) return no(told.guardNotInContract(pending.context, fitted.missing, epoch));
  const deadline_ms = Math.max(1, pending.deadlineAtMs - nowMs);
  const call = { ...pending.call, contract_epoch: epoch, deadline_ms };
  try {
    return { ok: true, frame: encodeFrame({ kind: 'call', call }, fitted.args) };
  } catch {
    // The only thing that encoding refuses is a frame above the limit.
    return no(told.payloadTooLarge(pending.context, FRAME_BYTES_MAX));
  }
}
