/** What a refusal of SQLite means for the caller: whether something may have been written, and what to do. Pure. */
import { SqliteError } from 'better-sqlite3';
import { OutcomeError } from '../../contract/outcome.ts';

/** Refusals that SQLite gives before a transaction is committed, and after which it was rolled back. */
const NOTHING_WRITTEN = /^SQLITE_(BUSY|LOCKED|READONLY|FULL|CANTOPEN)/;
const BROKEN = /^SQLITE_(IOERR|CORRUPT|NOTADB)/;

/** The {@link OutcomeError} of an error of the store; every other error as it is. */
export function storeFailure(error: unknown, access: 'read' | 'write'): unknown {
  if (!(error instanceof SqliteError)) return error;
  if (error.code.startsWith('SQLITE_FULL')) {
    return new OutcomeError('disk_full', 'The disk is full: the journal took nothing.', {
      delivery: 'not_delivered',
      next: 'Free some space on the workstation, then send the call again.',
      cause: error,
    });
  }
  const clean = access === 'read' || NOTHING_WRITTEN.test(error.code);
  if (!clean && !BROKEN.test(error.code)) return error;
  return new OutcomeError(
    'continuity_store_unavailable',
    `The journal could not be used (${error.code}). ${clean ? 'Nothing was written.' : 'Whether it was written is not known.'}`,
    {
      delivery: clean ? 'not_delivered' : 'unknown',
      next: clean ? 'Try again in a moment.' : 'Look it up: work_memory.resume shows what is stored.',
      cause: error,
    },
  );
}
