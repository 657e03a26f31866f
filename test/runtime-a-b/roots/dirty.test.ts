import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dirtyGate, readDirty } from '../../../runtime-a-b/roots/index.ts';
import { verifies } from '../../verifies.ts';
import { git, refusal, repository, temporaryFolder, writeFiles } from './live-view.ts';

describe('dirty files', () => {
  it('are modified, untracked or ignored, with any name, and a nested repository is asked itself', async () => {
    verifies('gates.write');
    const base = temporaryFolder();
    const inner = repository(join(base, 'origin'), { 'x.txt': 'x', 'y.txt': 'y' });
    const odd = ['-n', 'a b', ':(top)x', '*.txt', 'new\nline', '"quoted"', '日本.txt'];
    const root = repository(join(base, 'r'), {
      'clean.txt': '1',
      'changed.txt': '1',
      'staged.txt': '1',
      '.gitignore': 'build/\n',
      ...Object.fromEntries(odd.map((name) => [name, '1'])),
    });
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(root, 'commit', '--quiet', '--all', '--message', 'sub');
    writeFiles(root, {
      'changed.txt': '2',
      'staged.txt': '2',
      'new/deep/file.txt': 'n',
      'build/out.txt': 'o',
      'sub/x.txt': 'changed',
      ...Object.fromEntries(odd.map((name) => [name, '2'])),
    });
    git(root, 'add', 'staged.txt');
    const names = [
      'clean.txt',
      'changed.txt',
      'staged.txt',
      'new/deep/file.txt',
      'build/out.txt',
      'sub/x.txt',
      'sub/y.txt',
      ...odd,
    ];
    const dirty = await readDirty(
      root,
      names.map((name) => join(root, name)),
    );
    expect(Object.fromEntries(names.map((name) => [name, dirty.get(join(root, name))]))).toEqual({
      'clean.txt': undefined,
      'changed.txt': 'modified',
      'staged.txt': 'modified',
      'new/deep/file.txt': 'untracked',
      'build/out.txt': 'ignored',
      'sub/x.txt': 'modified',
      'sub/y.txt': undefined,
      ...Object.fromEntries(odd.map((name) => [name, 'modified'])),
    });
    expect(existsSync(join(root, '.git', 'index.lock'))).toBe(false);
    expect(dirtyGate(dirty, false)?.code).toBe('file_dirty_confirmation_required');
    expect(dirtyGate(dirty, true)).toBeUndefined();
    expect(dirtyGate(new Map(), false)).toBeUndefined();
  });

  it('are not guessed when Git fails', async () => {
    const root = repository(temporaryFolder(), { a: 'a' });
    writeFileSync(join(root, '.git', 'index'), 'broken');
    expect((await refusal(() => readDirty(root, [join(root, 'a')]))).code).toBe('git_status_failed');
  });
});
