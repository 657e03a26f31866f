/**
 * The journal of a commit: enough to finish or undo it after the process was killed at any point. One folder a commit,
 * `<state>/patches/<id>/`, gone when the commit is over.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../../local/error/index.ts';
import { ensurePrivateDir } from '../../../../local/files/index.ts';
import { isAlive } from '../../../../local/spawn/index.ts';

export interface JournalStep {
  kind: 'replace' | 'overwrite' | 'create' | 'remove';
  path: string;
  /** New bytes: beside the target, or for `overwrite` in the journal's folder. */
  draft?: string;
  /** Device and inode of the draft, by which an applied step is recognised. */
  draftId?: string;
  /** Old bytes: a second name of the old file, or for `overwrite` a copy in the journal's folder. */
  backup?: string;
  beforeSha256?: string;
  afterSha256?: string;
}

export interface Journal {
  v: 1;
  id: string;
  dispatchId: string;
  pid: number;
  start: string;
  /** `staging`: no target was touched. `committing`: any may have been. */
  state: 'staging' | 'committing';
  steps: JournalStep[];
  /** Folders that were made, outermost first. */
  folders: string[];
}

const base = (stateDir: string) => join(stateDir, 'patches');

export const journalFolder = (stateDir: string, id: string): string => join(base(stateDir), id);

/** Writes the journal whole. `durable` waits for the disk: needed where a power cut must not leave half a commit. */
export function writeJournal(stateDir: string, journal: Journal, durable: boolean): void {
  ensurePrivateDir(base(stateDir));
  const folder = journalFolder(stateDir, journal.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, 'journal.json.tmp');
  const fd = openSync(draft, 'w', 0o600);
  try {
    writeSync(fd, JSON.stringify(journal));
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, join(folder, 'journal.json'));
  if (durable) for (const each of [folder, base(stateDir)]) syncFolder(each);
}

export function removeJournal(stateDir: string, id: string): void {
  rmSync(journalFolder(stateDir, id), { recursive: true, force: true });
}

/** Journals whose process is gone. A folder without a whole journal was left before anything was staged. */
export function leftJournals(stateDir: string): { id: string; journal: Journal | undefined }[] {
  let ids: string[];
  try {
    ids = readdirSync(base(stateDir));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
  return ids.flatMap((id) => {
    const journal = readJournal(join(base(stateDir), id, 'journal.json'));
    return journal !== undefined && isAlive(journal.pid, journal.start) ? [] : [{ id, journal }];
  });
}

function readJournal(path: string): Journal | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Journal;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR' || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}

/** A renamed name survives a power cut only when its folder has been synced. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
