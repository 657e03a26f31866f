import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { migrationsFolder, openDatabase, readMigrations } from '../../../local/sqlite/index.ts';
import { migrateState, openState, schemaFacts, schemaOf } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

const steps = readMigrations(migrationsFolder('state', import.meta.url));

let folder: ReturnType<typeof tempFolder>;
let stateDir: string;
beforeEach(() => {
  folder = tempFolder();
  stateDir = ensurePrivateDir(join(folder.path, 'state'));
});
afterEach(() => folder.remove());

/** A file as an earlier version left it, with something in it. */
function ofBefore(version: number): void {
  const database = openDatabase(join(stateDir, 'state.db'), { migrations: steps.slice(0, version), oldestReader: 1 });
  database.prepare("INSERT INTO revoked_connectors VALUES ('kept', 1)").run();
  database.close();
}

const copies = () => readdirSync(join(stateDir, 'backups'));

/** What a copy holds. */
function inCopy(name: string): { version: unknown; rows: unknown } {
  const database = new Database(join(stateDir, 'backups', name), { readonly: true });
  const version = database.prepare("SELECT value FROM meta WHERE key = 'schema_version'").pluck().get();
  const rows = database.prepare('SELECT count(*) FROM revoked_connectors').pluck().get();
  database.close();
  return { version, rows };
}

describe('migrating state.db', () => {
  it('copies what is there before the first step, privately and whole, and again does nothing', () => {
    verifies('ab.generations');
    ofBefore(1);
    const done = migrateState(stateDir);
    expect(done).toMatchObject({ from: 1, to: steps.length, oldest_reader: schemaFacts().oldest_reader });
    expect(copies()).toEqual([expect.stringMatching(/^state-v1-\d+\.db$/)]);
    expect(done.backup).toBe(join(stateDir, 'backups', copies()[0] ?? ''));
    expect(statSync(done.backup ?? '').mode & 0o777).toBe(0o600);
    expect(inCopy(copies()[0] ?? '')).toEqual({ version: '1', rows: 1 });
    expect(migrateState(stateDir)).toEqual({ ...done, from: steps.length, backup: undefined });
    expect(copies()).toHaveLength(1);
    const state = openState(stateDir);
    expect(state.database.prepare('SELECT count(*) FROM revoked_connectors').pluck().get()).toBe(1);
    state.close();
  });

  it('makes no copy of a file that it makes itself', () => {
    expect(schemaOf(stateDir)).toEqual({ version: 0, oldest_reader: 0 });
    expect(migrateState(stateDir)).toMatchObject({ from: 0, to: steps.length });
    expect(readdirSync(stateDir)).not.toContain('backups');
  });

  it('by two programs at once makes one copy, and both find the file migrated', async () => {
    verifies('ab.generations');
    ofBefore(1);
    const door = JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../runtime-a-b/state/index.ts')).href);
    const code = `const { migrateState } = await import(${door}); console.log(migrateState(process.argv[1]).to)`;
    const one = () =>
      new Promise<string>((resolve) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code, stateDir]);
        let said = '';
        child.stdout.on('data', (piece) => {
          said += piece;
        });
        child.once('close', () => resolve(said.trim()));
      });
    expect(await Promise.all([one(), one(), one()])).toEqual(Array(3).fill(String(steps.length)));
    expect(copies()).toHaveLength(1);
    expect(inCopy(copies()[0] ?? '')).toEqual({ version: '1', rows: 1 });
  });

  it('only adds after the oldest version that still reads the file', () => {
    verifies('ab.generations');
    const later = steps.slice(schemaFacts().oldest_reader).flatMap(({ statements }) => statements);
    expect(later.length).toBeGreaterThan(0);
    expect(later.filter((statement) => /\b(DROP (TABLE|COLUMN)|RENAME)\b/i.test(statement))).toEqual([]);
  });
});
