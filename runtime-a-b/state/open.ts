import type { Database } from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { migrationsFolder, openDatabase, readMigrations } from '../../local/sqlite/index.ts';
import { copyBeforeMigration } from './copy.ts';

/** An open `state.db`. `orm` and `database` are the same connection. */
export interface State {
  database: Database;
  orm: BetterSQLite3Database;
  close(): void;
}

/** The number of steps with which a program still understands what this version writes. Raised only when we must. */
const OLDEST_READER = 1;

/** What this version knows of the database: how many steps, and how many a reader must know of what it writes. */
export function schemaFacts(): { knows: number; oldest_reader: number } {
  return { knows: readMigrations(migrationsFolder('state', import.meta.url)).length, oldest_reader: OLDEST_READER };
}

/**
 * Opens the state folder's database, makes it when missing and applies what is missing; a file that holds something is
 * copied before, under a lock (see copy.ts). Commits survive power loss.
 * Throws a `LocalError` with one sentence for a person when the file may not be trusted, is damaged or is too new.
 */
export function openState(stateDir: string): State {
  ensurePrivateDir(stateDir);
  const database = openDatabase(statePaths(stateDir).database, {
    migrations: migrationsFolder('state', import.meta.url),
    oldestReader: OLDEST_READER,
    synchronous: 'full',
    beforeMigration: (open, from) => copyBeforeMigration(open, stateDir, from),
  });
  return { database, orm: drizzle({ client: database }), close: () => void database.close() };
}
