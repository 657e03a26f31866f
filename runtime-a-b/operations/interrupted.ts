/**
 * What is known about a call whose process died: never that it failed, only what can still be seen. For a write, the
 * files that it was about to change are compared with what they were and with what they were to become.
 */
import { readFile } from 'node:fs/promises';
import { type Delivery, OutcomeError } from '../../contract/outcome.ts';
import type { IntendedChange } from './answer.ts';
import { sha256 } from './digest.ts';
import type { Operation } from './ledger.ts';

/** How one intended file looks now. */
export interface FileEvidence {
  path: string;
  /** `after`: the change is there. `before`: it is not. `other`: the file is neither. `unreadable`: nobody can say. */
  now: 'after' | 'before' | 'other' | 'unreadable';
}

/** Looks at the intended files. Empty when the call had not written down any. */
export async function gatherEvidence(operation: Pick<Operation, 'intended'>): Promise<FileEvidence[]> {
  if (operation.intended === null) return [];
  const changes = JSON.parse(operation.intended) as IntendedChange[];
  return Promise.all(
    changes.map(async (change) => ({ path: change.path, now: compare(change, await digestOf(change.path)) })),
  );
}

function compare(change: IntendedChange, digest: string | null | undefined): FileEvidence['now'] {
  if (digest === undefined) return 'unreadable';
  if (digest === change.after) return 'after';
  return digest === change.before ? 'before' : 'other';
}

/** null when there is no such file, undefined when it cannot be read. */
async function digestOf(path: string): Promise<string | null | undefined> {
  try {
    return sha256(await readFile(path));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? null : undefined;
  }
}

/** All of it there, none of it there, or not known. */
export function judge(evidence: readonly FileEvidence[]): Delivery {
  if (evidence.length === 0) return 'unknown';
  if (evidence.every((file) => file.now === 'after')) return 'delivered';
  return evidence.every((file) => file.now === 'before') ? 'not_delivered' : 'unknown';
}

const KNOWN: Record<Delivery, { message: string; next: string }> = {
  delivered: {
    message: 'The runtime stopped while this call ran; every file that it was to change has its new content.',
    next: 'Nothing needs to be repeated.',
  },
  not_delivered: {
    message: 'The runtime stopped while this call ran; nothing that it was to change has been changed.',
    next: 'Send the call again.',
  },
  unknown: {
    message: 'The runtime stopped while this call ran; whether it acted is not known.',
    next: 'Look at what it was to change before anything is repeated.',
  },
};

/** A command that an interrupted call had started, and how it stands now. */
export interface StartedCommand {
  /** Of its session. */
  id: string;
  running: boolean;
  /** Set when it ended; `lost` when it is gone without a word, so that nobody can say how far it came. */
  done?: { exitCode: number | null; signal: string | null; lost?: true };
}

/** The outcome of a call whose command has a session: what the command does or did is told there. */
export function interruptedCommand(operation: Operation, command: StartedCommand): OutcomeError {
  const { id, running } = command;
  const { exitCode = null, signal = null, lost } = command.done ?? {};
  const now = running
    ? 'it goes on'
    : lost
      ? 'it is gone, and how far it came is not known'
      : `it has ended with ${signal ?? `exit code ${exitCode}`}`;
  return new OutcomeError('interrupted', `The runtime stopped while this call waited for its command; ${now}.`, {
    delivery: lost ? 'unknown' : 'delivered',
    next: `herdr_exec_read {"session_id": "${id}"} gives its output and its end; do not run it again before that.`,
    details: {
      tool: operation.tool,
      ...(operation.target === null ? {} : { target: operation.target }),
      received_at_ms: operation.receivedAt,
      session_id: id,
      running,
      exit_code: exitCode,
      ...(signal === null ? {} : { signal }),
    },
  });
}

/** The outcome that the ledger keeps for such a call. */
export function interruptedOutcome(
  operation: Operation,
  evidence: readonly FileEvidence[],
  delivery: Delivery,
): OutcomeError {
  const details = {
    tool: operation.tool,
    ...(operation.target === null ? {} : { target: operation.target }),
    received_at_ms: operation.receivedAt,
    ...(evidence.length === 0 ? {} : { files: evidence }),
  };
  return new OutcomeError('interrupted', KNOWN[delivery].message, { delivery, next: KNOWN[delivery].next, details });
}
