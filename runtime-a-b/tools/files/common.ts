/** What the answers of the file tools have in common. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { systemCode } from '../../../local/error/index.ts';
import type { Root } from '../../roots/index.ts';

/** The root of an answer, with a warning when Herdr does not confirm it now. */
export function rootFacts(root: Root): Record<string, unknown> {
  return root.stale ? { root: root.path, root_stale: true } : { root: root.path };
}

export function readFailure(error: unknown, path: string): OutcomeError {
  if (error instanceof OutcomeError) return error;
  return new OutcomeError('read_failed', `${path} could not be read (${systemCode(error) ?? 'unknown reason'}).`, {
    next: 'Check the file with herdr_fs_list, then call again.',
    cause: error,
  });
}

/** Ends a read that nobody waits for any more. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new OutcomeError('cancelled', 'The call was cancelled; nothing was changed.', {
    next: 'Call again if the answer is still wanted.',
    delivery: 'delivered',
  });
}
