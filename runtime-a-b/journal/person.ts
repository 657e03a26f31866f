/** What only a person at the workstation does. */
import { OutcomeError } from '../../contract/outcome.ts';
import type { MethodContext } from './method.ts';

/**
 * Throws `local_person_required` for everybody else: also for the browser extension, which is local and speaks for pages.
 * `what` begins a sentence: "Files are written".
 */
export function assertPerson(context: Pick<MethodContext, 'principal'>, what: string): void {
  const { kind, id } = context.principal;
  if (kind === 'local' && id !== 'extension') return;
  throw new OutcomeError('local_person_required', `${what} only for a person at the workstation. Nothing was done.`, {
    next: 'Ask the person to run the herdr-mcp command there.',
  });
}
