import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalError } from '../../../local/error/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder } from '../support/index.ts';

let folder: ReturnType<typeof tempFolder>;
let stateDir: string;
beforeEach(() => {
  folder = tempFolder();
  stateDir = join(folder.path, 'state');
});
afterEach(() => folder.remove());

const refusal = (): string => {
  try {
    openState(stateDir).close();
  } catch (error) {
    if (error instanceof LocalError) return error.code;
    throw error;
  }
  return 'opened';
};

describe('state.db', () => {
  it('is private, durable and migrated', () => {
    verifies('runtime.state');
    const state = openState(stateDir);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(stateDir, 'state.db')).mode & 0o777).toBe(0o600);
    const pragma = (name: string) => state.database.pragma(name, { simple: true });
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
    const meta = Object.fromEntries(
      state.database
        .prepare<[], { key: string; value: string }>('SELECT key, value FROM meta')
        .all()
        .map(({ key, value }) => [key, value]),
    );
    expect(Number(meta.schema_version)).toBeGreaterThan(0);
    expect(Number(meta.oldest_reader)).toBeGreaterThan(0);
    state.close();
  });

  it('opens for two generations at once, and both see one truth', () => {
    const [a, b] = [openState(stateDir), openState(stateDir)];
    a.database.prepare("INSERT INTO revoked_connectors VALUES ('c', 1)").run();
    expect(b.database.prepare('SELECT count(*) AS n FROM revoked_connectors').get()).toEqual({ n: 1 });
    a.close();
    b.close();
  });

  it('refuses a newer file with one sentence and leaves it as it was', () => {
    verifies('runtime.state');
    const state = openState(stateDir);
    state.database.exec("UPDATE meta SET value = '999' WHERE key = 'oldest_reader'");
    state.database.pragma('wal_checkpoint(TRUNCATE)');
    state.close();
    const before = readFileSync(join(stateDir, 'state.db'));
    expect(refusal()).toBe('database_newer');
    expect(readFileSync(join(stateDir, 'state.db')).equals(before)).toBe(true);
  });

  it('opens a file with more steps than it knows, as long as those only added', () => {
    const state = openState(stateDir);
    state.database.exec("UPDATE meta SET value = '999' WHERE key = 'schema_version'");
    state.database.exec('CREATE TABLE from_the_future (x)');
    state.close();
    expect(refusal()).toBe('opened');
  });

  it('detects a broken file and a file that is no database', () => {
    verifies('runtime.state');
    mkdirSync(stateDir, { mode: 0o700 });
    writeFileSync(join(stateDir, 'state.db'), 'this is no database at all, but long enough to look like a header', {
      mode: 0o600,
    });
    expect(refusal()).toBe('database_damaged');
    expect(readdirSync(stateDir)).toContain('state.db');
  });

  it('refuses a symlink and a file that others may read', () => {
    verifies('runtime.state');
    mkdirSync(stateDir, { mode: 0o700 });
    writeFileSync(join(folder.path, 'elsewhere'), '', { mode: 0o600 });
    symlinkSync(join(folder.path, 'elsewhere'), join(stateDir, 'state.db'));
    expect(refusal()).toBe('database_not_private');
    stateDir = join(folder.path, 'second');
    openState(stateDir).close();
    chmodSync(join(stateDir, 'state.db'), 0o644);
    expect(refusal()).toBe('database_not_private');
  });

  it('refuses a state folder that is a symlink', () => {
    const real = join(folder.path, 'real');
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, stateDir);
    expect(refusal()).toBe('folder_not_private');
    expect(readdirSync(real)).toEqual([]);
  });
});
