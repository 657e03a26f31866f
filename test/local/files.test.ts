import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, ensurePrivateDir, lockHolder, readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import { verifies } from '../verifies.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const mode = (path: string) => statSync(path).mode & 0o777;

describe('an atomic write', () => {
  it('replaces the whole file, private whatever the umask and the old mode were', async () => {
    verifies('local.files');
    const file = join(dir, 'x.json');
    writeFileSync(file, 'a much longer old content', { mode: 0o644 });
    await writeAtomic(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(mode(file)).toBe(0o600);
  });

  it('replaces a symlink and leaves alone what it pointed at', async () => {
    const target = join(dir, 'target');
    writeFileSync(target, 'untouched');
    symlinkSync(target, join(dir, 'x'));
    await writeAtomic(join(dir, 'x'), 'new');
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readFileSync(join(dir, 'x'), 'utf8')).toBe('new');
  });

  it('that fails leaves the old content and no temporary file', async () => {
    mkdirSync(join(dir, 'folder'));
    await expect(writeAtomic(join(dir, 'folder'), 'new')).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['folder']);
  });

  it('never shows a half-written file to a reader, also when the writer is killed', async () => {
    const file = join(dir, 'big');
    const door = fileURLToPath(new URL('../../local/files/index.ts', import.meta.url));
    const writer = `import { writeAtomic } from ${JSON.stringify(door)};
      for (let n = 0; ; n = (n + 1) % 10) { await writeAtomic(${JSON.stringify(file)}, String(n).repeat(300000)); if (n === 0) console.log('round'); }`;
    for (let round = 0; round < 3; round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      for (let look = 0; look < 20; look += 1) {
        const text = readFileSync(file, 'utf8');
        expect(text).toBe((text[0] ?? '?').repeat(300_000));
        await new Promise(setImmediate);
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      const text = readFileSync(file, 'utf8');
      expect(text).toBe((text[0] ?? '?').repeat(300_000));
    }
  });
});

describe('a private folder', () => {
  it('is made with its parents, closed to others', () => {
    expect(mode(ensurePrivateDir(join(dir, 'a', 'b')))).toBe(0o700);
    expect(mode(join(dir, 'a'))).toBe(0o700);
  });

  it('of our own that is open is closed', () => {
    mkdirSync(join(dir, 'open'), { mode: 0o755 });
    expect(mode(ensurePrivateDir(join(dir, 'open')))).toBe(0o700);
  });

  it.each([
    ['a symlink', (path: string) => symlinkSync(tmpdir(), path), /is a symlink/],
    ['a file', (path: string) => writeFileSync(path, ''), /is not a folder/],
  ])('that is %s is refused', (_, make, sentence) => {
    make(join(dir, 'x'));
    expect(() => ensurePrivateDir(join(dir, 'x'))).toThrow(sentence);
  });

  it('that belongs to another user is refused', () => {
    if (process.getuid?.() === 0) expect(ensurePrivateDir(dir)).toBe(dir);
    else expect(() => ensurePrivateDir('/')).toThrow(/another user/);
  });
});

describe('a private file', () => {
  it('is read, and a missing one is undefined', async () => {
    await writeAtomic(join(dir, 'x'), 'secret');
    expect((await readPrivateFile(join(dir, 'x')))?.toString()).toBe('secret');
    expect(await readPrivateFile(join(dir, 'y'))).toBeUndefined();
  });

  it('that others may read, that is a symlink or a folder, is refused by name', async () => {
    verifies('local.files');
    writeFileSync(join(dir, 'x'), 'secret');
    chmodSync(join(dir, 'x'), 0o640);
    await expect(readPrivateFile(join(dir, 'x'))).rejects.toThrow(/can be read by other users/);
    chmodSync(join(dir, 'x'), 0o600);
    symlinkSync(join(dir, 'x'), join(dir, 'link'));
    await expect(readPrivateFile(join(dir, 'link'))).rejects.toThrow(/is a symlink/);
    await expect(readPrivateFile(dir)).rejects.toThrow(/is no plain file/);
  });
});

describe('a lock', () => {
  const door = fileURLToPath(new URL('../../local/files/index.ts', import.meta.url));
  const contender = (after: string) => `import { acquireLock } from ${JSON.stringify(door)};
    const lock = acquireLock(${JSON.stringify(join(dir, 'x.lock'))}, 'other'); console.log(JSON.stringify({ held: lock.held })); ${after}`;
  const run = (after: string) =>
    spawn(process.execPath, ['--input-type=module', '-e', contender(after)], { stdio: ['ignore', 'pipe', 'inherit'] });

  it('names who holds it, and is free again after release', () => {
    verifies('local.lock');
    const path = join(dir, 'x.lock');
    const lock = acquireLock(path, 'first');
    expect(acquireLock(path, 'second')).toMatchObject({ held: false, by: { pid: process.pid, name: 'first' } });
    expect(lockHolder(path)).toMatchObject({ pid: process.pid, name: 'first' });
    if (lock.held) lock.release();
    expect(lockHolder(path)).toBeUndefined();
    expect(acquireLock(path, 'third').held).toBe(true);
  });

  it('of a killed process is taken over, and a live one’s is not', async () => {
    verifies('local.lock');
    const other = run('setInterval(() => 0, 1000);');
    await once(other.stdout, 'data');
    expect(acquireLock(join(dir, 'x.lock'), 'we')).toMatchObject({
      held: false,
      by: { pid: other.pid, name: 'other' },
    });
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(acquireLock(join(dir, 'x.lock'), 'we').held).toBe(true);
  });

  it('whose pid now belongs to another process is stale', () => {
    writeFileSync(join(dir, 'x.lock.7'), JSON.stringify({ pid: process.pid, start: 'another time', name: 'old' }));
    expect(acquireLock(join(dir, 'x.lock'), 'we').held).toBe(true);
  });

  it('goes to exactly one of many that find it stale at once', async () => {
    for (let round = 0; round < 2; round += 1) {
      writeFileSync(join(dir, `x.lock.${round * 10 + 1}`), JSON.stringify({ pid: 1, start: 'long ago', name: 'old' }));
      const children = Array.from({ length: 5 }, () => run('process.stdin.resume(); setInterval(() => 0, 1000);'));
      const answers = await Promise.all(children.map(async (child) => String((await once(child.stdout, 'data'))[0])));
      expect(answers.filter((answer) => answer.includes('true'))).toHaveLength(1);
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
    }
  });

  it('in a folder that does not exist is held by nobody', () => {
    expect(lockHolder(join(dir, 'none', 'x.lock'))).toBeUndefined();
  });

  it('leaves one file behind, however often it was taken', () => {
    for (let n = 0; n < 5; n += 1) {
      const lock = acquireLock(join(dir, 'x.lock'), 'we');
      if (lock.held) lock.release();
    }
    expect(readdirSync(dir)).toHaveLength(1);
  });
});
