/** Migrating as a step of its own, before a generation that needs it is started beside one that does not know it. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { SQLITE_BUSY_MS } from '../../local/limits.ts';
import { statePaths } from '../../local/paths/index.ts';
import { newestCopy } from './copy.ts';
import { openState } from './open.ts';

export interface Migrated {
  /** Version before and after; equal when nothing was missing. */
  from: number;
  to: number;
  /** With how many known steps a program still reads the file. */
  oldest_reader: number;
  /** The copy from before. */
  backup?: string;
}

/** What a file asks of its readers; zeros while there is none. Changes nothing. */
export function schemaOf(stateDir: string): { version: number; oldest_reader: number } {
  const file = statePaths(stateDir).database;
  return { version: numberIn(file, 'schema_version'), oldest_reader: numberIn(file, 'oldest_reader') };
}

/** Brings `state.db` up to date, after a copy when it held something. Doing it again does nothing. */
export function migrateState(stateDir: string): Migrated {
  const from = schemaOf(stateDir).version;
  const state = openState(stateDir);
  try {
    const read = state.database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
    const number = (key: string) => Number(read.get(key)?.value ?? 0);
    const to = number('schema_version');
    const backup = from > 0 && from < to ? newestCopy(stateDir, from) : undefined;
    return { from, to, oldest_reader: number('oldest_reader'), ...(backup === undefined ? {} : { backup }) };
  } finally {
    state.close();
  }
}

function numberIn(file: string, key: string): number {
  if (!existsSync(file)) return 0;
  const database = new Database(file, { readonly: true, timeout: SQLITE_BUSY_MS });
  try {
    const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get();
    if (!has) return 0;
    const read = database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
    return Number(read.get(key)?.value ?? 0);
  } finally {
    database.close();
  }
}
