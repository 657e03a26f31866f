/**
 * Changes several files, all or none. New bytes are written beside their targets and synced first; old files get a second
 * name; then names are exchanged. A failure undoes what was done, and so does the next start after a kill (`recover.ts`).
 *
 * A file with several names (hard links), or one whose owner we cannot give to a new file, is written over in place
 * instead. A new file is linked to its name, which fails when the name was taken meanwhile, so nobody's bytes are lost.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { processStartTime } from '../../../../local/spawn/index.ts';
import type { Root } from '../../../roots/index.ts';
import { Anchors } from './anchors.ts';
import { type Change, ChangedMeanwhile } from './change.ts';
import { digest, isSameFile, isUnchanged } from './image.ts';
import { type Journal, type JournalStep, journalFolder, removeJournal, syncFolder, writeJournal } from './journal.ts';
import { idOf, overwrite, secondName } from './names.ts';
import { type Conflict, undo } from './undo.ts';

export interface CommitOptions {
  /** The root in which all paths lie. */
  root: Root;
  stateDir: string;
  dispatchId: string;
  /** Called when everything is staged and nothing changed yet; a throw leaves everything as it was. */
  beforeChange(): void;
  /** For tests of interruption: called before each step. */
  onStep?: (step: string) => void;
}

/** The commit failed on the way; what was changed was put back, except for `conflicts`. */
export class CommitFailed extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(cause: unknown, conflicts: readonly Conflict[]) {
    super('the commit failed', { cause });
    this.name = 'CommitFailed';
    this.conflicts = conflicts;
  }
}

/**
 * Throws {@link ChangedMeanwhile} or {@link CommitFailed}; then every file is as it was. Synchronous, so that nothing else
 * of ours comes between its steps.
 */
export function commitChanges(changes: readonly Change[], options: CommitOptions): void {
  const { stateDir, dispatchId, root, onStep = () => undefined } = options;
  const id = randomBytes(8).toString('hex');
  const durable = changes.length > 1;
  const anchors = new Anchors(root);
  const journal: Journal = {
    v: 1,
    id,
    dispatchId,
    pid: process.pid,
    start: processStartTime(process.pid) ?? '',
    state: 'staging',
    steps: changes.map((change, index) => plan(change, id, index, journalFolder(stateDir, id))),
    folders: [...new Set(changes.flatMap((change) => (change.kind === 'create' ? change.missing : [])))],
  };
  try {
    try {
      writeJournal(stateDir, journal, durable);
      stage(changes, journal, anchors, onStep);
      assertUnchanged(changes, anchors);
      options.beforeChange();
      assertUnchanged(changes, anchors); // writing down took its time
      onStep('commit');
      writeJournal(stateDir, { ...journal, state: 'committing' }, durable);
      changes.forEach((change, index) => {
        onStep(`apply ${index}`);
        apply(change, journal.steps[index] as JournalStep, anchors);
      });
      onStep('applied');
    } catch (error) {
      throw takeBack(error, stateDir, journal, anchors);
    }
    for (const folder of new Set(changes.map((change) => dirname(change.path)))) syncFolder(anchors.folder(folder));
    onStep('clean');
    cleanUp(journal, anchors);
    removeJournal(stateDir, id);
  } finally {
    anchors.close();
  }
}

function assertUnchanged(changes: readonly Change[], anchors: Anchors): void {
  for (const change of changes) {
    if (change.kind !== 'create' && !isUnchanged(anchors.at(change.path), change.before))
      throw new ChangedMeanwhile(change.path);
  }
}

/** Undoes what was done, and gives what is to be thrown. */
function takeBack(error: unknown, stateDir: string, journal: Journal, anchors: Anchors): Error {
  let conflicts: Conflict[];
  try {
    conflicts = undo(journal, anchors.atOrUndefined);
  } catch (undoError) {
    // The journal stays: the next start tries again.
    return new CommitFailed(
      new AggregateError([error, undoError]),
      journal.steps.map(({ path, backup }) => ({ path, backup: backup ?? '' })),
    );
  }
  if (conflicts.length === 0) removeJournal(stateDir, journal.id);
  return error instanceof ChangedMeanwhile && conflicts.length === 0 ? error : new CommitFailed(error, conflicts);
}

function cleanUp(journal: Journal, anchors: Anchors): void {
  for (const step of journal.steps) {
    if (step.kind === 'overwrite') continue; // its copies go with the journal
    for (const each of [step.draft, step.backup]) if (each !== undefined) rmSync(anchors.at(each), { force: true });
  }
}

/** Names are chosen before anything is made, so that the journal knows all that may lie around. */
function plan(change: Change, id: string, index: number, folder: string): JournalStep {
  const beside = (ending: string) =>
    join(dirname(change.path), `.${basename(change.path).slice(0, 180)}.herdr-mcp-${id}-${index}.${ending}`);
  const { path } = change;
  if (change.kind === 'create')
    return { kind: 'create', path, draft: beside('tmp'), afterSha256: digest(change.content) };
  const beforeSha256 = change.before.sha256;
  if (change.kind === 'remove') return { kind: 'remove', path, backup: beside('bak'), beforeSha256 };
  const afterSha256 = digest(change.content);
  if (mustStayInPlace(change)) {
    return {
      kind: 'overwrite',
      path,
      draft: join(folder, `${index}.new`),
      backup: join(folder, `${index}.old`),
      beforeSha256,
      afterSha256,
    };
  }
  return { kind: 'replace', path, draft: beside('tmp'), backup: beside('bak'), beforeSha256, afterSha256 };
}

function mustStayInPlace(change: Extract<Change, { kind: 'replace' }>): boolean {
  const { nlink, uid, gid } = change.before.stats;
  if (nlink > 1n) return true;
  const mine = process.geteuid?.() ?? 0;
  return (
    mine !== 0 &&
    (Number(uid) !== mine || !(process.getgroups?.() ?? []).concat(process.getegid?.() ?? 0).includes(Number(gid)))
  );
}

function stage(changes: readonly Change[], journal: Journal, anchors: Anchors, onStep: (step: string) => void): void {
  for (const folder of journal.folders) {
    onStep('folder');
    anchors.hold(dirname(folder));
    anchors.make(folder);
  }
  changes.forEach((change, index) => {
    const step = journal.steps[index] as JournalStep;
    onStep(`stage ${index}`);
    anchors.hold(dirname(change.path));
    if (change.kind === 'remove') return;
    const old = change.kind === 'replace' ? change.before.stats : undefined;
    const mode = old === undefined ? (change.kind === 'create' ? change.mode : undefined) : Number(old.mode & 0o7777n);
    const beside = step.kind === 'overwrite' ? (path: string) => path : anchors.at;
    const draft = beside(step.draft as string);
    writeDraft(draft, change.content, mode, step.kind === 'replace' ? old : undefined);
    const draftId = idOf(draft);
    if (draftId !== undefined) step.draftId = draftId;
    if (change.kind === 'replace' && step.kind === 'overwrite')
      writeDraft(step.backup as string, change.before.bytes, 0o600, undefined);
  });
}

function writeDraft(
  path: string,
  bytes: Buffer,
  mode: number | undefined,
  owner: { uid: bigint; gid: bigint } | undefined,
): void {
  const fd = openSync(path, 'wx', 0o666);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
    if (
      owner !== undefined &&
      (Number(owner.uid) !== process.geteuid?.() || Number(owner.gid) !== process.getegid?.())
    ) {
      fchownSync(fd, Number(owner.uid), Number(owner.gid));
    }
    if (mode !== undefined) fchmodSync(fd, mode);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function apply(change: Change, step: JournalStep, anchors: Anchors): void {
  const place = anchors.at(change.path);
  if (change.kind === 'create') {
    linkSync(anchors.at(step.draft as string), place);
    return;
  }
  if (step.kind === 'overwrite' && change.kind === 'replace') {
    overwrite(place, change.content);
    return;
  }
  const backup = anchors.at(step.backup as string);
  const { before } = change;
  if (change.kind === 'remove') {
    // Taken away first and looked at then: a file that somebody put there this moment is put back by the undo.
    renameSync(place, backup);
    if (!isSameFile(backup, before)) throw new ChangedMeanwhile(change.path);
    return;
  }
  const linked = secondName(place, backup);
  if (linked && !isSameFile(backup, before)) throw new ChangedMeanwhile(change.path);
  renameSync(anchors.at(step.draft as string), place);
  // Whoever wrote into the old file this moment, by a handle opened before, must find the bytes again.
  if (linked && !isSameFile(backup, before)) throw new ChangedMeanwhile(change.path);
}
