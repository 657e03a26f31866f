import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Migration, migrationsFolder, openDatabase, readMigrations } from '../../local/sqlite/index.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-sqlite-'));
  file = join(dir, 'state.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const one: Migration = { name: '0000_one', statements: ['CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)'] };
const two: Migration = {
  name: '0001_two',
  statements: ['ALTER TABLE t ADD COLUMN y TEXT', "INSERT INTO t (x, y) VALUES ('a', 'b')"],
};
const broken: Migration = { name: '0001_broken', statements: ['ALTER TABLE t ADD COLUMN z TEXT', 'NONSENSE'] };

describe('opening', () => {
  it('makes a private file with WAL, foreign keys, full sync and a busy timeout', () => {
    const database = openDatabase(file, { migrations: [one] });
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(database.pragma('synchronous', { simple: true })).toBe(2);
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5000);
    database.prepare("INSERT INTO t (x) VALUES ('v')").run();
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
    database.close();
  });

  it('refuses a file that others may read, a symlink and a folder', () => {
    openDatabase(file, { migrations: [one] }).close();
    chmodSync(file, 0o644);
    expect(() => openDatabase(file, { migrations: [one] })).toThrow(/can be read by other users/);
    chmodSync(file, 0o600);
    symlinkSync(file, join(dir, 'link.db'));
    expect(() => openDatabase(join(dir, 'link.db'), { migrations: [one] })).toThrow(/is a symlink/);
    mkdirSync(join(dir, 'folder.db'));
    expect(() => openDatabase(join(dir, 'folder.db'), { migrations: [one] })).toThrow(/folder\.db cannot be opened/);
  });

  it('waits for another program that holds the file, and names it when it never lets go', async () => {
    const holder = new Database(file);
    holder.exec('CREATE TABLE x (y); BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
    expect(() => openDatabase(file, { migrations: [one] })).toThrow(/is held by another program/);
    holder.exec('COMMIT');
    holder.close();
    openDatabase(file, { migrations: [one] }).close();
  });

  it('refuses what is no database, and what is damaged inside, and leaves both as they were', () => {
    writeFileSync(file, 'hello, this is no database at all'.repeat(100), { mode: 0o600 });
    const before = readFileSync(file);
    expect(() => openDatabase(file, { migrations: [one] })).toThrow(/damaged or no database/);
    expect(readFileSync(file)).toEqual(before);

    const other = join(dir, 'other.db');
    const database = openDatabase(other, { migrations: [one] });
    const insert = database.prepare('INSERT INTO t (x) VALUES (?)');
    for (let n = 0; n < 500; n += 1) insert.run('v'.repeat(200));
    database.close();
    const bytes = readFileSync(other);
    bytes.fill(0xff, 8192, 20_000);
    writeFileSync(other, bytes);
    expect(() => openDatabase(other, { migrations: [one] })).toThrow(/damaged or no database/);
    expect(readFileSync(other)).toEqual(bytes);
  });
});

describe('migrating', () => {
  it('applies each step once, in order, and counts them', () => {
    openDatabase(file, { migrations: [one] }).close();
    openDatabase(file, { migrations: [one, two] }).close();
    const database = openDatabase(file, { migrations: [one, two] });
    expect(database.prepare('SELECT x, y FROM t').all()).toEqual([{ x: 'a', y: 'b' }]);
    expect(database.prepare("SELECT value FROM meta WHERE key = 'schema_version'").pluck().get()).toBe('2');
    database.close();
  });

  it('that fails in the middle leaves the step undone and the version as it was', () => {
    openDatabase(file, { migrations: [one] }).close();
    expect(() => openDatabase(file, { migrations: [one, broken] })).toThrow(/NONSENSE/);
    const database = openDatabase(file, { migrations: [one] });
    expect((database.pragma('table_info(t)') as { name: string }[]).map(({ name }) => name)).toEqual(['id', 'x']);
    database.close();
  });

  it('lets an older program read as long as it knows the oldest reader, and refuses it below', () => {
    openDatabase(file, { migrations: [one, two], oldestReader: 1 }).close();
    openDatabase(file, { migrations: [one] }).close();
    const other = join(dir, 'newer.db');
    openDatabase(other, { migrations: [one, two] }).close();
    expect(() => openDatabase(other, { migrations: [one] })).toThrow(
      /newer herdr-mcp \(it needs schema 2, this version knows 1\)/,
    );
  });

  it('by several processes at once happens once', async () => {
    const door = fileURLToPath(new URL('../../local/sqlite/index.ts', import.meta.url));
    const script = `import { openDatabase } from ${JSON.stringify(door)};
      openDatabase(${JSON.stringify(file)}, { migrations: ${JSON.stringify([one, two])} }).close();`;
    const codes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
        return (await once(child, 'exit'))[0] as number;
      }),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const database = openDatabase(file, { migrations: [one, two] });
    expect(database.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1);
    database.close();
  });
});

describe('a generated folder', () => {
  it('is found above a module, read in the order of its journal, and split at its breakpoints', () => {
    const folder = join(dir, 'migrations', 'state');
    mkdirSync(join(folder, 'meta'), { recursive: true });
    mkdirSync(join(dir, 'deep', 'er'), { recursive: true });
    writeFileSync(
      join(folder, 'meta', '_journal.json'),
      JSON.stringify({
        entries: [
          { idx: 1, tag: '0001_b' },
          { idx: 0, tag: '0000_a' },
        ],
      }),
    );
    writeFileSync(join(folder, '0000_a.sql'), 'CREATE TABLE a (x);\n--> statement-breakpoint\nCREATE TABLE b (x);\n');
    writeFileSync(join(folder, '0001_b.sql'), 'DROP TABLE b;');
    const found = migrationsFolder('state', pathToFileURL(join(dir, 'deep', 'er', 'module.js')).href);
    expect(found).toBe(folder);
    expect(readMigrations(found)).toEqual([
      { name: '0000_a', statements: ['CREATE TABLE a (x);', 'CREATE TABLE b (x);'] },
      { name: '0001_b', statements: ['DROP TABLE b;'] },
    ]);
  });

  it('that is missing is said, not guessed', () => {
    expect(() => migrationsFolder('nothing', pathToFileURL(join(dir, 'x.js')).href)).toThrow(
      /are missing from this installation/,
    );
  });
});
