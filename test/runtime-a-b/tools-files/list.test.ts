import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from './context.ts';

function setUp() {
  const base = temporaryFolder();
  const root = repository(join(base, 'r'), {
    'b.ts': 'b',
    'a.ts': 'aa',
    '.env': 'x',
    '.hidden': 'h',
    'src/deep/c.ts': 'c',
    'src/d.txt': 'd',
    'token/notes.txt': 'n',
    'token/parser.ts': 'p',
    'emoji 🙂.ts': 'e',
    'new\nline.ts': 'n',
    '-n.ts': '-',
  });
  mkdirSync(join(base, 'outside'));
  symlinkSync(join(base, 'outside'), join(root, 'way-out'));
  const tools = testTools(fileTools, liveView([{ cwd: root }]));
  const list = async (more: Record<string, unknown> = {}) =>
    (await tools.call('herdr_fs_list', { path: root, ...more })).body;
  const names = async (more: Record<string, unknown> = {}) =>
    ((await list(more)).entries as unknown as { relative_path: string }[]).map((entry) => entry.relative_path);
  return { root, tools, list, names };
}

describe('herdr_fs_list', () => {
  it.runIf(process.platform === 'linux')('says of a name that is no UTF-8 that no path can name it', async () => {
    verifies('files.list');
    const { root, list } = setUp();
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'src', 'bad')), Buffer.of(0xff)]), 'x');
    const { entries } = await list({ path: join(root, 'src') });
    expect(entries).toContainEqual(expect.objectContaining({ name: 'bad\ufffd', type: 'file', name_is_utf8: false }));
    expect(entries).toContainEqual(expect.not.objectContaining({ name_is_utf8: false }));
  });

  it('gives sorted entries without .git and secrets, and does not follow symlinks', async () => {
    verifies('files.list', 'roots.secrets');
    const { root, list, names } = setUp();
    expect(await names()).toEqual([
      '-n.ts',
      '.hidden',
      'a.ts',
      'b.ts',
      'emoji 🙂.ts',
      'new\nline.ts',
      'src',
      'token',
      'way-out',
    ]);
    const entries = (await list()).entries as unknown as Record<string, unknown>[];
    expect(entries.find((entry) => entry.name === 'a.ts')).toMatchObject({
      type: 'file',
      size: 2,
      path: join(root, 'a.ts'),
    });
    expect(entries.find((entry) => entry.name === 'way-out')).toMatchObject({ type: 'symlink' });
    expect(entries.find((entry) => entry.name === 'src')).not.toHaveProperty('size');
    expect(await names({ recursive: true })).toEqual([
      '-n.ts',
      '.hidden',
      'a.ts',
      'b.ts',
      'emoji 🙂.ts',
      'new\nline.ts',
      'src',
      'src/d.txt',
      'src/deep',
      'src/deep/c.ts',
      'token',
      'token/parser.ts',
      'way-out',
    ]);
  });

  it.each([
    ['*.ts', ['-n.ts', 'a.ts', 'b.ts', 'emoji 🙂.ts', 'new\nline.ts', 'src/deep/c.ts', 'token/parser.ts']],
    ['**/*.ts', ['-n.ts', 'a.ts', 'b.ts', 'emoji 🙂.ts', 'new\nline.ts', 'src/deep/c.ts', 'token/parser.ts']],
    ['src/**', ['src/d.txt', 'src/deep', 'src/deep/c.ts']],
    ['src/*.txt', ['src/d.txt']],
    ['[ab].t?', ['a.ts', 'b.ts']],
    ['{a,b}.{ts,js}', ['a.ts', 'b.ts']],
    ['[!a].ts', ['b.ts', 'src/deep/c.ts']],
    ['*a*a*a*a*a*a*a*a*a*a*a*a*a*b', []],
  ])('matches %s', async (glob, expected) => {
    verifies('files.list');
    expect(await setUp().names({ recursive: true, glob })).toEqual(expected);
  });

  it('is bounded and says so', async () => {
    verifies('files.list');
    const { list } = setUp();
    expect(await list({ max_entries: 2, recursive: true })).toMatchObject({ count: 2, truncated: true });
    expect(await list({ max_entries: 9 })).toMatchObject({ count: 9, truncated: false });
  });

  it('refuses what is no directory of a root', async () => {
    const { root, tools } = setUp();
    const code = async (path: string) => (await refusal(() => tools.call('herdr_fs_list', { path }))).code;
    expect(await code(join(root, 'a.ts'))).toBe('not_a_directory');
    expect(await code(join(root, 'way-out'))).toBe('symlink_escape');
    expect(await code(join(root, '..'))).toBe('outside_managed_roots');
    expect(await code(join(root, 'missing'))).toBe('not_found');
  });

  it('lists an operational root', async () => {
    verifies('roots.operational');
    const plain = join(temporaryFolder(), 'plain');
    mkdirSync(join(plain, 'x'), { recursive: true });
    const tools = testTools(fileTools, liveView([{ cwd: plain }]));
    expect((await tools.call('herdr_fs_list', { path: plain })).body).toMatchObject({ count: 1, root: plain });
  });
});
