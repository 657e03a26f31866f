/**
 * All of the files, or none: what was there is copied aside before the first byte is written, and put back when anything
 * fails, also after a kill (the next command finds what was pending). The last completed change can be taken back.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LocalError } from '../../../local/error/index.ts';
import { acquireLock, ensurePrivateDir, writeAtomic } from '../../../local/files/index.ts';
import { BACKUPS_KEPT } from '../limits.ts';
import type { nativePaths } from '../registration.ts';
import type { Wanted } from './contents.ts';

type Paths = ReturnType<typeof nativePaths>;

/** A file as it was: its bytes, or null where there was none. */
interface Before {
  path: string;
  mode: number;
  content: string | null;
}

interface Evidence {
  id: string;
  at: string;
  what: 'install' | 'uninstall';
  files: Before[];
}

export interface Change {
  what: Evidence['what'];
  write: readonly Wanted[];
  remove: readonly string[];
  /** Runs when everything is written; when it rejects, everything is put back. */
  check?: () => Promise<void>;
}

/** Takes the one lock of this state folder around `act`, and first settles what a killed command left. */
export async function exclusively<T>(paths: Paths, act: () => Promise<T>): Promise<T> {
  ensurePrivateDir(paths.dir);
  const lock = acquireLock(paths.lock, 'native-host');
  if (!lock.held) {
    throw new LocalError('native_host_busy', `Process ${lock.by.pid} is changing the native host.`, 'Try again then.');
  }
  try {
    await settlePending(paths);
    return await act();
  } finally {
    lock.release();
  }
}

export async function change(paths: Paths, wanted: Change, now: Date): Promise<void> {
  const files = [...wanted.write.map(({ path }) => path), ...wanted.remove];
  const stamp = now
    .toISOString()
    .replace(/[^0-9]/g, '')
    .slice(0, 14);
  const id = `${stamp}-${randomBytes(4).toString('hex')}`;
  const evidence: Evidence = { id, at: now.toISOString(), what: wanted.what, files: files.map(before) };
  await keep(paths, evidence);
  await writeAtomic(paths.pending, JSON.stringify({ id }));
  try {
    for (const file of wanted.write) {
      mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
      await writeAtomic(file.path, file.content, { mode: file.mode });
    }
    for (const path of wanted.remove) rmSync(path, { force: true });
    await wanted.check?.();
  } catch (error) {
    await restore(evidence);
    rmSync(paths.pending, { force: true });
    throw error;
  }
  await writeAtomic(paths.rollback, JSON.stringify({ id }));
  rmSync(paths.pending, { force: true });
  forgetOld(paths, id);
}

/** Puts back what was there before the last completed change; a second time is refused. Resolves with what it undid. */
export async function takeBack(paths: Paths): Promise<Evidence['what']> {
  const evidence = evidenceOf(paths, paths.rollback);
  if (!evidence) {
    throw new LocalError(
      'native_host_no_rollback',
      'There is no change of the native host to take back.',
      'Nothing was changed.',
    );
  }
  await writeAtomic(paths.pending, JSON.stringify({ id: evidence.id }));
  await restore(evidence);
  rmSync(paths.rollback, { force: true });
  rmSync(paths.pending, { force: true });
  return evidence.what;
}

async function settlePending(paths: Paths): Promise<void> {
  if (!existsSync(paths.pending)) return;
  const evidence = evidenceOf(paths, paths.pending);
  if (evidence) await restore(evidence);
  rmSync(paths.pending, { force: true });
}

async function restore({ files }: Evidence): Promise<void> {
  for (const { path, mode, content } of files.toReversed()) {
    if (content === null) rmSync(path, { force: true });
    else await writeAtomic(path, Buffer.from(content, 'base64'), { mode });
  }
}

async function keep(paths: Paths, evidence: Evidence): Promise<void> {
  const dir = join(paths.backups, evidence.id);
  ensurePrivateDir(paths.backups);
  ensurePrivateDir(dir);
  await writeAtomic(join(dir, 'files.json'), JSON.stringify(evidence));
}

function evidenceOf(paths: Paths, pointer: string): Evidence | undefined {
  if (!existsSync(pointer)) return undefined;
  const { id } = JSON.parse(readFileSync(pointer, 'utf8')) as { id?: unknown };
  if (typeof id !== 'string' || !/^[0-9a-f-]+$/.test(id)) return undefined;
  const file = join(paths.backups, id, 'files.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Evidence) : undefined;
}

function before(path: string): Before {
  if (!existsSync(path)) return { path, mode: 0o600, content: null };
  return { path, mode: statSync(path).mode & 0o777, content: readFileSync(path).toString('base64') };
}

/** Names begin with their time, so the order of names is that of age. */
function forgetOld(paths: Paths, newest: string): void {
  const names = readdirSync(paths.backups)
    .sort()
    .filter((name) => name !== newest);
  const old = names.slice(0, Math.max(0, names.length - (BACKUPS_KEPT - 1)));
  for (const name of old) rmSync(join(paths.backups, name), { recursive: true, force: true });
}
