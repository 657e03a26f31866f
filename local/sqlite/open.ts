import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { LocalError, systemCode } from '../error/index.ts';
import { privateFileTrouble } from '../files/index.ts';
import { SQLITE_BUSY_MS, SQLITE_CHECK_BYTES_MAX, WAL_RETRY_MS } from '../limits.ts';
import { migrate } from './migrate.ts';
import { type Migration, readMigrations } from './migrations.ts';

export interface DatabaseOptions {
  /** A generated folder, or its content already read. */
  migrations: string | readonly Migration[];
  /** The smallest number of known migrations that can still read what we write; all of ours when absent. */
  oldestReader?: number;
  /** `full` survives power loss; `normal` may lose the last commits then, never the file. */
  synchronous?: 'full' | 'normal';
  /**
   * Called before the first missing step of a file that holds something already, with its version: the moment for a
   * copy. What it returns is called when the steps are applied. Throwing leaves the file as it was.
   */
  beforeMigration?: (database: Database.Database, from: number) => () => void;
}

/**
 * Opens (or makes) the file with WAL, foreign keys and a busy timeout, and applies what is missing of the migrations.
 * Throws a {@link LocalError} whose sentence a person can act on: a symlink, a foreign owner, others may read, not a
 * database, damaged, or written by a newer version. In all of these the file is left as it was.
 */
export function openDatabase(file: string, options: DatabaseOptions): Database.Database {
  const migrations = typeof options.migrations === 'string' ? readMigrations(options.migrations) : options.migrations;
  const bytes = claim(file);
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { timeout: SQLITE_BUSY_MS });
    if (bytes > 0 && bytes <= SQLITE_CHECK_BYTES_MAX) check(database, file);
    useWal(database, file);
    database.pragma(`synchronous = ${(options.synchronous ?? 'full').toUpperCase()}`);
    const opened = database;
    const before = (from: number) => options.beforeMigration?.(opened, from) ?? (() => undefined);
    migrate(database, file, migrations, options.oldestReader ?? migrations.length, before);
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    database?.close();
    throw brokenFile(error, file);
  }
}

/** Creates the file 0600 before SQLite can create it wider; looks at an existing one. Returns its size in bytes. */
function claim(file: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    const code = systemCode(error);
    const what = code === 'ELOOP' ? 'is a symlink' : `cannot be opened (${code ?? 'unknown reason'})`;
    throw new LocalError(
      'database_not_private',
      `${file} ${what}.`,
      'Replace it with a plain file of your own.',
      error,
    );
  }
  try {
    const stats = fstatSync(descriptor);
    const trouble = privateFileTrouble(stats);
    if (trouble) {
      throw new LocalError(
        'database_not_private',
        `${file} ${trouble}, so it is not used.`,
        `Check it, then: chmod 600 ${file}`,
      );
    }
    return stats.size;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Turns the write-ahead log on. SQLite's own waiting does not cover this step, so two processes that make the same new
 * file at once try again, as long as a writer would wait.
 */
function useWal(database: Database.Database, file: string): void {
  const end = performance.now() + SQLITE_BUSY_MS;
  while (!isWal(database)) {
    if (performance.now() > end) throw busy(file);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
  }
}

/** The answer is the old mode, or an error, when somebody else holds the file. */
function isWal(database: Database.Database): boolean {
  try {
    return database.pragma('journal_mode = WAL', { simple: true }) === 'wal';
  } catch (error) {
    if (systemCode(error)?.startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

function check(database: Database.Database, file: string): void {
  const answer: unknown = database.pragma('quick_check(1)', { simple: true });
  if (answer !== 'ok') throw damaged(file);
}

/** What SQLite says about a file that is none, or none any more; everything else goes on as it is. */
function brokenFile(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT')) return damaged(file, error);
  if (code?.startsWith('SQLITE_BUSY')) return busy(file, error);
  return error;
}

function busy(file: string, cause?: unknown): LocalError {
  return new LocalError(
    'database_busy',
    `${file} is held by another program.`,
    'End what uses it, and try again; the file was not changed.',
    cause,
  );
}

function damaged(file: string, cause?: unknown): LocalError {
  return new LocalError(
    'database_damaged',
    `${file} is damaged or no database; it was left as it is.`,
    'Move it away (with its -wal and -shm files) to begin with an empty one, or put a copy back.',
    cause,
  );
}
