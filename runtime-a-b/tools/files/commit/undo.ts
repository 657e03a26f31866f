/**
 * Takes the steps of a commit back, last first. Each looks before it acts: bytes that somebody else put there meanwhile
 * are never replaced, the old ones then stay in their backup and are named.
 */
import { existsSync, linkSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { systemCode } from '../../../../local/error/index.ts';
import type { At } from './anchors.ts';
import { digest } from './image.ts';
import type { Journal, JournalStep } from './journal.ts';
import { idOf, overwrite } from './names.ts';

/** Where old bytes remain because the file itself holds somebody else's. */
export interface Conflict {
  path: string;
  backup: string;
}

/** Undoes all that was applied, and removes drafts, backups and folders that are needed no more. */
export function undo(journal: Journal, at: At): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const step of [...journal.steps].reverse()) {
    const place = at(step.path);
    if (place === undefined) continue;
    // The copies of a file that is written over lie in the journal's own folder.
    const local = step.kind === 'overwrite' ? (path: string) => path : (path: string) => at(path) ?? path;
    const draft = step.draft === undefined ? undefined : local(step.draft);
    const backup = step.backup === undefined ? undefined : local(step.backup);
    if (!undoStep(step, place, draft, backup)) conflicts.push({ path: step.path, backup: step.backup ?? '' });
    if (draft !== undefined) rmSync(draft, { force: true });
  }
  removeFolders(journal.folders, at);
  return conflicts;
}

/** False when somebody else's bytes are in the way. */
function undoStep(step: JournalStep, place: string, draft: string | undefined, backup: string | undefined): boolean {
  if (step.kind === 'create') {
    if (isOurs(step, place)) rmSync(place);
    return true;
  }
  if (backup === undefined || !existsSync(backup)) return true;
  if (step.kind === 'overwrite') return undoOverwrite(step, place, draft, backup);
  const now = idOf(place);
  if (now === undefined) return putBack(backup, place);
  if (isOurs(step, place)) {
    renameSync(backup, place);
    return true;
  }
  if (now !== idOf(backup) && digest(readFileSync(place)) !== step.beforeSha256) return false;
  rmSync(backup); // not applied: the old file still has its name
  return true;
}

/** Whether the name leads to the new bytes that this step put there. A number alone proves nothing: it is soon used again. */
export function isOurs(step: JournalStep, place: string): boolean {
  if (step.draftId === undefined || idOf(place) !== step.draftId) return false;
  return digest(readFileSync(place)) === step.afterSha256;
}

/** Gives a removed file its name again, unless somebody took the name this very moment. */
function putBack(backup: string, place: string): boolean {
  try {
    linkSync(backup, place);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
  rmSync(backup);
  return true;
}

/** A file that is written over holds the old bytes, the new ones, or new ones up to some point and old behind it. */
function undoOverwrite(step: JournalStep, place: string, draft: string | undefined, backup: string): boolean {
  const old = readFileSync(backup);
  if (digest(old) !== step.beforeSha256) return true; // the copy was not finished, so the file was not touched
  const fresh = draft !== undefined && existsSync(draft) ? readFileSync(draft) : Buffer.alloc(0);
  const now = existsSync(place) ? readFileSync(place) : undefined;
  if (now === undefined || now.equals(old)) return true;
  if (!isBetween(now, old, fresh)) return false;
  overwrite(place, old);
  return true;
}

/** Whether `now` begins like `fresh` and goes on like `old`: what a write leaves that was stopped somewhere. */
export function isBetween(now: Buffer, old: Buffer, fresh: Buffer): boolean {
  let same = 0;
  while (same < now.length && same < fresh.length && now[same] === fresh[same]) same += 1;
  // Any point up to `same` may be where it stopped; the old rest must fit behind one of them, and the last fits best.
  if (same === fresh.length && now.length >= fresh.length) {
    return now.length === fresh.length || now.subarray(same).equals(old.subarray(same));
  }
  return now.length === Math.max(old.length, same) && now.subarray(same).equals(old.subarray(same));
}

/** Innermost first; a folder that somebody put something into stays. */
function removeFolders(folders: readonly string[], at: At): void {
  for (const folder of [...folders].reverse()) {
    try {
      const place = at(folder);
      if (place !== undefined) rmdirSync(place);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    }
  }
}
