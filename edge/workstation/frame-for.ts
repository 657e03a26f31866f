import { FRAME_BYTES_MAX } from '../../contract/limits.ts';
import { encodeFrame } from '../../contract/link/index.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { Link } from './connections.ts';
import * as told from './failures.ts';
import { fitArguments } from './fit.ts';
import type { PendingCall } from './pending.ts';

type Ready = { ok: true; frame: Uint8Array<ArrayBuffer> } | { ok: false; failure: Failure };

/** The call as a frame for this link, or why this link cannot take it. */
export function frameFor(pending: PendingCall, link: Link, nowMs: number): Ready {
  const no = (failure: Failure): Ready => ({ ok: false, failure });
  if (!link.runtime) return no(told.runtimeUnavailable(pending.context));
  if (link.draining) return no(told.draining(pending.context));
  const epoch = link.runtime.contract_epoch;
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
