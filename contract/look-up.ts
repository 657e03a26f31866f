/** What whoever made a call is told to do while its outcome is not known. One wording for every plane. Pure. */
import type { CallClass } from './outcome.ts';

/** How to find out what became of a write. */
export function lookUp(dispatchId: string): string {
  return `Look it up before doing it again: herdr_call with method herdr_mcp.dispatch.status and params {"dispatch_id":"${dispatchId}"}.`;
}

/** Of a call that may have run: a read changed nothing, a write is looked up. */
export function whenUnknown(callClass: CallClass, dispatchId: string): string {
  return callClass === 'read' ? 'Read again.' : lookUp(dispatchId);
}

/**
 * What to do about a write that was looked up; undefined when its outcome is known. `ledger` says whether the ledger of
 * the workstation was asked: without it, the edge's receipt is all that is known.
 */
export function afterLookUp(
  { state, delivery }: { state: unknown; delivery: unknown },
  ledger: boolean,
): string | undefined {
  if (delivery !== 'unknown') return undefined;
  if (state === 'running') return 'It still runs. Look it up again in a few seconds; do not send it again.';
  if (!ledger) return 'It may have run. Look it up again when the workstation is connected; do not send it again.';
  if (state === 'sent') return 'It may be on its way. Look it up again in a few seconds; do not send it again.';
  return 'Nobody knows more. Look at what it was to change before it is done again.';
}
