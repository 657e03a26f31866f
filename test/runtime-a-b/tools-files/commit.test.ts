import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ChangedMeanwhile,
  CommitFailed,
  commitChanges,
  recoverPatches,
} from '../../../runtime-a-b/tools/files/commit/index.ts';
import { isBetween } from '../../../runtime-a-b/tools/files/commit/undo.ts';
import { verifies } from '../../verifies.ts';
import { temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { rootAt, type Sketch, toChanges } from './committer.ts';

/** Every file below a folder with its content; what is left over shows. */
function tree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = readFileSync(path, 'utf8');
  }
  return found;
}

function setUp(files: Record<string, string> = { 'a.txt': 'a1', 'sub/b.txt': 'b1', 'c.txt': 'c1' }) {
  const base = temporaryFolder();
  const root = join(base, 'root');
  const stateDir = join(base, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  writeFiles(root, files);
  const run = (sketches: readonly Sketch[], onStep?: (step: string) => void) =>
    commitChanges(toChanges(sketches), {
      root: rootAt(root),
      stateDir,
      dispatchId: 'd_test',
      beforeChange: () => undefined,
      ...(onStep === undefined ? {} : { onStep }),
    });
  const at = (name: string) => join(root, name);
  return { base, root, stateDir, run, at };
}

const MANY = (at: (name: string) => string): Sketch[] => [
  { kind: 'replace', path: at('a.txt'), content: 'a2 is longer' },
  { kind: 'create', path: at('new/deep/n.txt'), content: 'n', missing: [at('new'), at('new/deep')] },
  { kind: 'remove', path: at('c.txt') },
  { kind: 'replace', path: at('sub/b.txt'), content: '' },
];
const BEFORE = { 'a.txt': 'a1', 'sub/b.txt': 'b1', 'c.txt': 'c1' };
const AFTER = { 'a.txt': 'a2 is longer', 'sub/b.txt': '', 'new/deep/n.txt': 'n' };

describe('a commit', () => {
  it('changes all files and leaves nothing else', () => {
    verifies('files.patch');
    const { root, stateDir, run, at } = setUp();
    run(MANY(at));
    expect(tree(root)).toEqual(AFTER);
    expect(tree(stateDir)).toEqual({});
  });

  it('keeps mode, hard links and the file behind a symlink', () => {
    verifies('files.edit');
    const { root, run, at } = setUp({ 'a.txt': 'old', 'tool.sh': 'old' });
    linkSync(at('a.txt'), at('other-name.txt'));
    symlinkSync('tool.sh', at('link.sh'));
    chmodSync(at('tool.sh'), 0o751);
    chmodSync(at('a.txt'), 0o640);
    const { ino } = statSync(at('a.txt'));
    run([
      { kind: 'replace', path: at('a.txt'), content: 'n' },
      { kind: 'replace', path: at('tool.sh'), content: 'new content' },
    ]);
    expect(tree(root)).toEqual({ 'a.txt': 'n', 'other-name.txt': 'n', 'tool.sh': 'new content' });
    expect(statSync(at('a.txt'))).toMatchObject({ ino, nlink: 2 });
    expect([statSync(at('a.txt')).mode & 0o777, statSync(at('tool.sh')).mode & 0o777]).toEqual([0o640, 0o751]);
    expect(readFileSync(at('link.sh'), 'utf8')).toBe('new content');
  });

  it.each(['folder', 'stage 0', 'stage 3', 'commit', 'apply 0', 'apply 1', 'apply 2', 'apply 3', 'applied'])(
    'that fails before %s puts everything back',
    (step) => {
      verifies('files.patch');
      const { root, stateDir, run, at } = setUp();
      const failing = (now: string) => {
        if (now === step) throw new Error('on purpose');
      };
      expect(() => run(MANY(at), failing)).toThrow(CommitFailed);
      expect(tree(root)).toEqual(BEFORE);
      expect(existsSync(at('new'))).toBe(false);
      expect(tree(stateDir)).toEqual({});
    },
  );

  it('loses nobody’s bytes when a name is taken between check and commit', () => {
    verifies('files.patch');
    const { root, run, at } = setUp();
    const racer = (step: string) => {
      if (step === 'apply 1') writeFiles(root, { 'new/deep/n.txt': 'theirs' });
    };
    expect(() => run(MANY(at), racer)).toThrow(CommitFailed);
    expect(tree(root)).toEqual({ ...BEFORE, 'new/deep/n.txt': 'theirs' });
  });

  it.each([
    [
      'replaced',
      (path: string) => {
        rmSync(path);
        writeFileSync(path, 'theirs');
      },
    ],
    ['written to', (path: string) => writeFileSync(path, 'theirs')],
    ['removed', (path: string) => rmSync(path)],
  ])('notices a file that was %s before its step', (how, act) => {
    verifies('files.patch');
    for (const [step, name] of [
      ['commit', 'a.txt'],
      ['apply 2', 'c.txt'],
    ] as const) {
      const { root, run, at } = setUp();
      const expected = how === 'removed' ? { ...BEFORE, [name]: undefined } : { ...BEFORE, [name]: 'theirs' };
      expect(() => run(MANY(at), (now) => (now === step ? act(at(name)) : undefined))).toThrow();
      const after = tree(root);
      // A file that was taken away as ours looked is ours no more; its old bytes are in the backup that the error names.
      for (const [file, content] of Object.entries(expected))
        if (file !== name || how !== 'removed') expect(after[file]).toBe(content);
    }
  });

  it('is refused when a file is not what was read any more', () => {
    const { root, run, at } = setUp();
    const changes = toChanges([{ kind: 'replace', path: at('a.txt'), content: 'x' }]);
    writeFileSync(at('a.txt'), 'a!');
    utimesSync(at('a.txt'), 1, 1);
    const options = {
      root: rootAt(root),
      stateDir: join(root, '..', 'state'),
      dispatchId: 'd',
      beforeChange: () => undefined,
    };
    expect(() => commitChanges(changes, options)).toThrow(ChangedMeanwhile);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('a!');
    expect(run).toBeDefined();
  });

  it('writes nothing outside when a folder is swapped for a symlink', () => {
    verifies('roots.boundary');
    for (const step of ['stage 0', 'commit', 'apply 0', 'apply 1']) {
      const { base, root, run, at } = setUp();
      mkdirSync(join(base, 'outside'));
      writeFileSync(join(base, 'outside', 'b.txt'), 'OUTSIDE');
      const swap = (now: string) => {
        if (now !== step) return;
        renameSync(at('sub'), at('was-sub'));
        symlinkSync(join(base, 'outside'), at('sub'));
      };
      try {
        run(
          [
            { kind: 'replace', path: at('sub/b.txt'), content: 'x' },
            { kind: 'create', path: at('sub/n.txt'), content: 'x' },
          ],
          swap,
        );
      } catch (error) {
        expect(error).toBeInstanceOf(CommitFailed);
      }
      expect(tree(join(base, 'outside'))).toEqual({ 'b.txt': 'OUTSIDE' });
      expect(Object.keys(tree(root)).filter((name) => name.includes('herdr-mcp'))).toEqual([]);
    }
  });
});

describe('a commit that is killed', () => {
  const script = fileURLToPath(new URL('./committer.ts', import.meta.url));
  const kill = (spec: { root: string; stateDir: string; sketches: Sketch[]; killAt: string }) =>
    spawnSync(process.execPath, [script, JSON.stringify(spec)], { encoding: 'utf8' }).signal;

  it.each([
    ['folder', 'undone'],
    ['stage 1', 'undone'],
    ['stage 3', 'undone'],
    ['commit', 'undone'],
    ['apply 0', 'undone'],
    ['apply 2', 'undone'],
    ['apply 3', 'undone'],
    ['applied', 'completed'],
    ['clean', 'completed'],
  ])('before %s is %s at the next start', (killAt, outcome) => {
    verifies('files.patch');
    const { root, stateDir, at } = setUp();
    expect(kill({ root, stateDir, sketches: MANY(at), killAt })).toBe('SIGKILL');
    const recovered = recoverPatches(stateDir);
    expect(recovered).toEqual([
      { dispatchId: 'd_test', outcome, paths: MANY(at).map((each) => each.path), conflicts: [] },
    ]);
    expect(tree(root)).toEqual(outcome === 'undone' ? BEFORE : AFTER);
    expect(existsSync(at('new'))).toBe(outcome === 'completed');
    expect(tree(stateDir)).toEqual({});
    expect(recoverPatches(stateDir)).toEqual([]);
  });

  it('is settled alone where one dispatch is asked about', () => {
    verifies('files.patch');
    const { root, stateDir, at } = setUp();
    kill({ root, stateDir, sketches: MANY(at), killAt: 'apply 2' });
    mkdirSync(join(stateDir, 'patches', 'begun')); // of a process that is about to write its journal
    expect(recoverPatches(stateDir, 'd_other')).toEqual([]);
    expect(recoverPatches(stateDir, 'd_test')).toMatchObject([{ dispatchId: 'd_test', outcome: 'undone' }]);
    expect(tree(root)).toEqual(BEFORE);
    expect(existsSync(join(stateDir, 'patches', 'begun'))).toBe(true);
  });

  it('with hard links gets its old bytes back in place', () => {
    verifies('files.patch');
    const { root, stateDir, at } = setUp();
    linkSync(at('a.txt'), at('second.txt'));
    const { ino } = statSync(at('a.txt'));
    const sketches: Sketch[] = [
      { kind: 'replace', path: at('a.txt'), content: 'much longer than before' },
      { kind: 'remove', path: at('c.txt') },
    ];
    expect(kill({ root, stateDir, sketches, killAt: 'apply 1' })).toBe('SIGKILL');
    expect(readFileSync(at('second.txt'), 'utf8')).toBe('much longer than before');
    expect(recoverPatches(stateDir)).toMatchObject([{ outcome: 'undone', conflicts: [] }]);
    expect(tree(root)).toEqual({ ...BEFORE, 'second.txt': 'a1' });
    expect(statSync(at('a.txt')).ino).toBe(ino);
  });

  it('never undoes what somebody wrote since', () => {
    verifies('files.patch');
    const { root, stateDir, at } = setUp();
    kill({ root, stateDir, sketches: MANY(at), killAt: 'apply 3' });
    rmSync(at('a.txt'));
    writeFileSync(at('a.txt'), 'by hand since');
    writeFileSync(at('c.txt'), 'also by hand');
    const [recovered] = recoverPatches(stateDir);
    expect(recovered?.conflicts.map((conflict) => conflict.path)).toEqual([at('c.txt'), at('a.txt')]);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('by hand since');
    expect(recovered?.conflicts.map(({ backup }) => readFileSync(backup, 'utf8'))).toEqual(['c1', 'a1']);
  });

  it('is not touched while its process lives, nor where its folder is gone', () => {
    const { root, stateDir, run, at } = setUp();
    run(MANY(at), (step) => {
      if (step === 'apply 1') expect(recoverPatches(stateDir)).toEqual([]);
    });
    expect(tree(root)).toEqual(AFTER);
    const other = setUp();
    kill({ root: other.root, stateDir: other.stateDir, sketches: MANY(other.at), killAt: 'apply 2' });
    rmSync(other.root, { recursive: true });
    expect(recoverPatches(other.stateDir)).toMatchObject([{ outcome: 'undone', conflicts: [] }]);
    mkdirSync(join(other.stateDir, 'patches', 'broken'));
    expect(recoverPatches(other.stateDir)).toEqual([]);
    expect(readdirSync(join(other.stateDir, 'patches'))).toEqual([]);
  });
});

describe('what a stopped write leaves', () => {
  it('is recognised at every point, and nothing else is', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 12 }),
        fc.uint8Array({ maxLength: 12 }),
        fc.nat(12),
        (oldBytes, newBytes, stop) => {
          const [old, fresh] = [Buffer.from(oldBytes), Buffer.from(newBytes)];
          const written = Math.min(stop, fresh.length);
          const now = Buffer.concat([fresh.subarray(0, written), old.subarray(written)]);
          expect(isBetween(now, old, fresh)).toBe(true);
          expect(isBetween(Buffer.concat([now, Buffer.from([7])]), old, fresh)).toBe(
            Buffer.concat([now, Buffer.from([7])]).equals(fresh) ||
              Buffer.concat([now, Buffer.from([7])]).equals(
                Buffer.concat([fresh.subarray(0, now.length + 1), old.subarray(now.length + 1)]),
              ),
          );
        },
      ),
    );
  });
});
