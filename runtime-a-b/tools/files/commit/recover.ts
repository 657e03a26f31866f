/** What a killed runtime left half done is finished or undone before anything else runs. */
import { existsSync, rmSync } from 'node:fs';
import { atPlain } from './anchors.ts';
import { type Journal, type JournalStep, leftJournals, removeJournal } from './journal.ts';
import { type Conflict, isOurs, undo } from './undo.ts';

export interface Recovered {
  dispatchId: string;
  /** `completed`: every file has its new bytes. `undone`: every file has its old bytes, except those in `conflicts`. */
  outcome: 'completed' | 'undone';
  paths: string[];
  conflicts: Conflict[];
}

/**
 * Looks through the journals of processes that are gone, or for that of one dispatch alone. Call it at start, and before
 * an interrupted call is judged by the bytes that it left. Running it twice, or being killed in it, does no harm.
 */
export function recoverPatches(stateDir: string, dispatchId?: string): Recovered[] {
  return leftJournals(stateDir).flatMap(({ id, journal }) => {
    if (dispatchId !== undefined && journal?.dispatchId !== dispatchId) return [];
    if (journal === undefined) {
      removeJournal(stateDir, id);
      return [];
    }
    const recovered = recover(journal);
    // The old bytes of a file that was written over lie in the journal's folder; while they are needed it stays.
    if (recovered.conflicts.every(({ backup }) => !backup.includes(`/patches/${id}/`))) removeJournal(stateDir, id);
    return [recovered];
  });
}

function recover(journal: Journal): Recovered {
  const facts = { dispatchId: journal.dispatchId, paths: journal.steps.map((step) => step.path) };
  if (journal.state === 'staging' || !journal.steps.every(isApplied)) {
    return { ...facts, outcome: 'undone', conflicts: undo(journal, atPlain) };
  }
  for (const { draft, backup } of journal.steps) {
    for (const each of [draft, backup])
      if (each !== undefined && atPlain(each) !== undefined) rmSync(each, { force: true });
  }
  return { ...facts, outcome: 'completed', conflicts: [] };
}

/** Whether a step was done. One that is written over in place may have stopped anywhere, so it never counts as done. */
function isApplied(step: JournalStep): boolean {
  const { kind, path, backup } = step;
  if (atPlain(path) === undefined) return false;
  if (kind === 'replace' || kind === 'create') return isOurs(step, path);
  return kind === 'remove' && !existsSync(path) && backup !== undefined && existsSync(backup);
}
