/** The copy of `state.db` from before a migration, made under a lock so that two starting programs make one. */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir, type Lock } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { BACKUPS_KEPT, MIGRATION_LOCK_MS, MIGRATION_POLL_MS } from '../limits.ts';

/** Name of a copy: the version that it holds and when it was made, so that names sort by age within a version. */
const COPY = /^state-v(\d+)-(\d+)\.db$/;

/**
 * Copies the database as it is (`VACUUM INTO`, so consistent whatever others write meanwhile) to
 * `backups/state-v<version>-<ms>.db`, mode 0600, whole or not at all. Returns what gives the lock back. When another
 * program migrated while we waited for the lock, nothing is copied: there is nothing left to protect.
 */
export function copyBeforeMigration(
  database: Database,
  stateDir: string,
  from: number,
  nowMs = Date.now(),
): () => void {
  const paths = statePaths(stateDir);
  const lock = waitForLock(paths.migrationLock);
  try {
    if (versionOf(database) === from) copy(database, ensurePrivateDir(paths.backups), `state-v${from}-${nowMs}.db`);
  } catch (error) {
    lock.release();
    throw error;
  }
  return () => lock.release();
}

/** The newest copy that holds this version of the schema. */
export function newestCopy(stateDir: string, version: number): string | undefined {
  const folder = statePaths(stateDir).backups;
  const newest = copies(folder).findLast((one) => one.version === version);
  return newest && join(folder, newest.name);
}

function copy(database: Database, folder: string, name: string): void {
  const making = join(folder, `.${name}.tmp`);
  rmSync(making, { force: true });
  const before = process.umask(0o077);
  try {
    database.prepare('VACUUM INTO ?').run(making);
  } finally {
    process.umask(before);
  }
  sync(making);
  renameSync(making, join(folder, name));
  sync(folder);
  for (const { name: old } of copies(folder).slice(0, -BACKUPS_KEPT)) rmSync(join(folder, old));
  for (const left of readdirSync(folder)) if (left.endsWith('.tmp')) rmSync(join(folder, left), { force: true });
}

/** Oldest first. */
function copies(folder: string): { name: string; version: number; ms: number }[] {
  return readdirSync(folder)
    .map((name) => ({ name, parts: COPY.exec(name) }))
    .flatMap(({ name, parts }) => (parts ? [{ name, version: Number(parts[1]), ms: Number(parts[2]) }] : []))
    .sort((one, other) => one.ms - other.ms);
}

function versionOf(database: Database): number {
  const row = database.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'schema_version'").get();
  return Number(row?.value ?? 0);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Blocks, as opening a database does: nothing else can be done before it is open. */
function waitForLock(path: string): Lock {
  const end = performance.now() + MIGRATION_LOCK_MS;
  for (;;) {
    const lock = acquireLock(path, 'migration');
    if (lock.held) return lock;
    if (performance.now() > end) {
      throw new LocalError(
        'migration_busy',
        `Process ${lock.by.pid} is migrating the database and does not end; it was left alone.`,
        'Wait for it, then try again.',
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MIGRATION_POLL_MS);
  }
}
