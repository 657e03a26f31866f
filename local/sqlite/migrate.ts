import type { Database } from 'better-sqlite3';
import { LocalError } from '../error/index.ts';
import type { Migration } from './migrations.ts';

/**
 * Applies what is missing, each step in its own `BEGIN IMMEDIATE` transaction together with the version that it makes,
 * so that two starting processes and a kill between two steps are both harmless. `before` is called once when a file
 * that holds something lacks steps, with the version it has; what it returns is called when they are applied.
 */
export function migrate(
  database: Database,
  file: string,
  migrations: readonly Migration[],
  oldestReader: number,
  before: (from: number) => () => void = () => () => undefined,
): void {
  database.pragma('foreign_keys = OFF'); // generated steps may rebuild a table that others point at
  database.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT');
  const read = database.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
  const write = database.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const number = (key: string) => Number(read.get(key)?.value ?? 0);

  if (number('oldest_reader') > migrations.length) {
    throw new LocalError(
      'database_newer',
      `${file} was written by a newer herdr-mcp (it needs schema ${number('oldest_reader')}, this version knows ${migrations.length}).`,
      'Update herdr-mcp; the file was not changed.',
    );
  }
  const step = database.transaction((): boolean => {
    const version = number('schema_version');
    const next = migrations[version];
    if (!next) return false;
    for (const statement of next.statements) database.exec(statement);
    const broken = database.pragma('foreign_key_check') as unknown[];
    if (broken.length > 0) throw new Error(`migration ${next.name} leaves ${broken.length} rows that point nowhere`);
    write.run('schema_version', String(version + 1));
    write.run('oldest_reader', String(Math.max(number('oldest_reader'), Math.min(oldestReader, version + 1))));
    return true;
  });
  const from = number('schema_version');
  const after = from > 0 && from < migrations.length ? before(from) : () => undefined;
  try {
    while (step.immediate()) {
      // one step at a time, until none is missing
    }
  } finally {
    after();
  }
}
