import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { verifies } from '../../verifies.ts';
import { git, liveView, refusal, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from './context.ts';
import { workplace } from './workplace.ts';

function setUp(files: Record<string, string | Uint8Array>, options: Parameters<typeof workplace>[1] = {}) {
  const place = workplace(files, options);
  const patch = async (lines: string[], more: object = {}) =>
    (
      await place.tools.call('herdr_fs_patch', {
        root: place.root,
        patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
        ...more,
      })
    ).body as Record<string, unknown>;
  const fails = (lines: string[], more: object = {}) => refusal(() => patch(lines, more));
  const state = () => git(place.root, 'status', '--porcelain', '--ignored');
  return { ...place, patch, fails, state };
}

describe('herdr_fs_patch', () => {
  it.each([
    ['a path', [`*** Delete File: ${'p'.repeat(200_000)}`]],
    ['a path to move to', ['*** Update File: a.txt', `*** Move to: ${'p'.repeat(200_000)}`]],
    ['an anchor', ['*** Update File: a.txt', `@@ ${'q'.repeat(200_000)}`, '-x', '+y']],
    ['context', ['*** Update File: a.txt', `-${'q'.repeat(200_000)}`, '+y']],
    ['many places', ['*** Update File: a.txt', '-x', '+y']],
    ['an anchor of many places', ['*** Update File: a.txt', '@@ x', '-x', '+y']],
    ['no marker', ['q'.repeat(200_000)]],
  ])('keeps a refusal short when the patch holds %s without measure', async (_, lines) => {
    verifies('files.patch');
    const failure = await setUp({ 'a.txt': 'x\n'.repeat(30_000) }).fails(lines);
    expect(failure.code).toBe('PATCH_FAILED');
    expect(JSON.stringify(failure).length).toBeLessThan(6_000);
  });

  it('adds, updates, moves and deletes, and says what it did', async () => {
    verifies('files.patch');
    const { at, patch, bytes, tools } = setUp({ 'a.txt': '1\n2\n', 'old.sh': 'x\ny\n', 'gone.txt': 'g1\ng2\n' });
    chmodSync(at('old.sh'), 0o755);
    const result = await patch(
      [
        '*** Update File: a.txt',
        '@@',
        '-1',
        '+one',
        '*** Add File: new/deep/n.txt',
        '+n',
        '*** Delete File: gone.txt',
        '*** Update File: old.sh',
        '*** Move to: bin/new.sh',
        '@@',
        '-y',
        '+z',
      ],
      { confirm_dirty: true },
    );
    expect(result).toMatchObject({
      dry_run: false,
      summary: ['M a.txt', 'A new/deep/n.txt', 'D gone.txt', 'R old.sh -> bin/new.sh'],
      affected_files: [
        { path: at('a.txt'), operation: 'update' },
        { path: at('new/deep/n.txt'), operation: 'add' },
        { path: at('gone.txt'), operation: 'delete' },
        { path: at('bin/new.sh'), operation: 'update', moved_from: at('old.sh') },
      ],
      additions: 3,
      removals: 4,
    });
    expect([bytes('a.txt').toString(), bytes('new/deep/n.txt').toString(), bytes('bin/new.sh').toString()]).toEqual([
      'one\n2\n',
      'n\n',
      'x\nz\n',
    ]);
    expect([existsSync(at('gone.txt')), existsSync(at('old.sh'))]).toEqual([false, false]);
    expect(statSync(at('bin/new.sh')).mode & 0o777).toBe(0o755);
    expect(tools.intended.map(({ path, after }) => [path, after === null])).toEqual([
      [at('a.txt'), false],
      [at('new/deep/n.txt'), false],
      [at('gone.txt'), true],
      [at('bin/new.sh'), false],
      [at('old.sh'), true],
    ]);
  });

  it('adds and moves onto nothing that exists, and changes none of the others', async () => {
    verifies('files.patch');
    const { patch, fails, state } = setUp({ 'a.txt': '1\n', 'b.txt': 'keep\n', 'c.txt': '3\n' });
    const change = ['*** Update File: a.txt', '@@', '-1', '+2'];
    const add = await fails([...change, '*** Add File: b.txt', '+new', '*** Delete File: c.txt']);
    expect(add).toMatchObject({
      code: 'PATCH_FAILED',
      message: expect.stringContaining('b.txt'),
      details: { mutation_state: 'not_applied', partial_applied: false },
    });
    expect((await fails(['*** Update File: a.txt', '*** Move to: b.txt', '@@', '-1', '+2'])).message).toContain(
      'b.txt',
    );
    expect((await fails(['*** Delete File: b.txt', '*** Add File: b.txt', '+new'])).message).toContain(
      'b.txt is named twice',
    );
    expect((await fails([...change, ...change])).message).toContain('named twice');
    expect((await fails(['*** Delete File: ./a.txt', '*** Update File: a.txt', '@@', '-1', '+2'])).message).toContain(
      'named twice',
    );
    expect(state()).toBe('');
    await patch(change);
  });

  it('names the first line that differs at the best place', async () => {
    verifies('files.patch');
    const line = (n: number) => (n === 60 ? '    kind: "run.start",' : `    key${n}: ${n},`);
    const { fails, state } = setUp({ 'o.ts': Array.from({ length: 80 }, (_, n) => `${line(n + 1)}\n`).join('') });
    const context = Array.from({ length: 24 }, (_, n) => ` ${line(n + 40).replace('run.start', 'run_start')}`);
    const failure = await fails(['*** Update File: o.ts', '@@', ...context, '+    added: 1,']);
    expect(failure).toMatchObject({
      code: 'PATCH_FAILED',
      message: expect.stringMatching(/20 lines agree, then line 60 is .*run\.start.* expects .*run_start/),
      details: {
        path: 'o.ts',
        patch_line: 3,
        nearest: [
          {
            line: 40,
            matched_before: 20,
            first_difference: { line: 60, expected: '    kind: "run_start",', found: '    kind: "run.start",' },
          },
        ],
      },
    });
    expect(state()).toBe('');
  });

  it('refuses a hunk that fits several places, with their lines', async () => {
    verifies('files.patch');
    const { fails } = setUp({ a: 'x\ny\nx\n' });
    expect(await fails(['*** Update File: a', '@@', '-x', '+z'])).toMatchObject({
      details: { candidate_lines: [1, 3] },
    });
    expect(await fails(['*** Update File: a', '@@ nowhere', '-x', '+z'])).toMatchObject({
      code: 'PATCH_FAILED',
      message: expect.stringContaining('nowhere'),
    });
    expect(await fails(['*** Update File: a', '@@', '-y', '+y'])).toMatchObject({
      message: expect.stringContaining('change nothing'),
    });
    expect(await fails(['nonsense'])).toMatchObject({ details: { patch_line: 2 } });
  });

  it('tries without changing anything', async () => {
    const { at, patch, state } = setUp(
      { a: '1\n' },
      { view: (root) => liveView([{ cwd: root, agent: { name: 'builder', status: 'working' } }]) },
    );
    appendFileSync(at('a'), '2\n');
    const before = state();
    expect(
      await patch(['*** Update File: a', '@@', '-1', '+one', '*** Add File: n/x', '+x'], { dry_run: true }),
    ).toMatchObject({
      dry_run: true,
      summary: ['M a', 'A n/x'],
      warnings: { working: [{ agent: 'builder' }], dirty: [{ path: at('a'), state: 'modified' }] },
    });
    expect(state()).toBe(before);
    expect(existsSync(at('n'))).toBe(false);
  });

  it('keeps encodings, endings, marks and links of what it changes', async () => {
    verifies('files.patch', 'files.edit');
    const { at, patch, bytes } = setUp({
      'crlf.txt': '\ufeffa\r\nb\r\n',
      'latin.txt': Buffer.from('caf\xe9\nx\n', 'latin1'),
      'wide.txt': Buffer.from('\ufeffä\nx\n', 'utf16le'),
      'linked.txt': 'x\n',
    });
    linkSync(at('linked.txt'), at('other.txt'));
    await patch(
      [
        '*** Update File: crlf.txt',
        '@@',
        ' a',
        '+new',
        '*** Update File: latin.txt',
        '@@',
        ' café',
        '-x',
        '+ö',
        '*** Update File: wide.txt',
        '@@',
        ' ä',
        '-x',
        '+日',
        '*** Update File: linked.txt',
        '@@',
        '-x',
        '+y',
      ],
      { confirm_dirty: true },
    );
    expect(bytes('crlf.txt').toString()).toBe('\ufeffa\r\nnew\r\nb\r\n');
    expect(bytes('latin.txt')).toEqual(Buffer.from('caf\xe9\n\xf6\n', 'latin1'));
    expect(bytes('wide.txt')).toEqual(Buffer.from('\ufeffä\n日\n', 'utf16le'));
    expect(bytes('other.txt').toString()).toBe('y\n');
  });

  it('refuses paths that it may not touch, and Git’s own', async () => {
    verifies('roots.boundary');
    const { base, at, root, fails, state } = setUp({
      'a.txt': '1\n',
      'd/x': 'x\n',
      '.env': 'K=1\n',
      bin: Buffer.from([0, 1, 10]),
    });
    mkdirSync(join(base, 'outside'));
    symlinkSync(join(base, 'outside'), at('out'));
    symlinkSync('a.txt', at('link'));
    const update = (name: string) => [`*** Update File: ${name}`, '@@', '-1', '+2'];
    const codes = async (lines: string[]) => (await fails(lines, { confirm_dirty: true })).code;
    expect(await codes(['*** Add File: ../outside/n', '+n'])).toBe('outside_managed_roots');
    expect(await codes(['*** Add File: out/n', '+n'])).toBe('symlink_escape');
    expect(await codes(['*** Add File: out/deep/er/n', '+n'])).toBe('symlink_escape');
    expect(await codes(['*** Add File: .env.local', '+n'])).toBe('secret_path_denied');
    expect(await codes(['*** Add File: .git/hooks/x', '+n'])).toBe('outside_managed_roots');
    expect(await codes(['*** Delete File: .env'])).toBe('secret_path_denied');
    expect(await codes(['*** Delete File: d'])).toBe('not_a_file');
    expect(await codes(['*** Delete File: missing'])).toBe('PATCH_FAILED');
    expect(await codes(['*** Delete File: link'])).toBe('PATCH_FAILED');
    expect(await codes(update('link'))).toBe('PATCH_FAILED');
    expect(await codes(update('bin'))).toBe('binary_file');
    expect(await codes(['*** Add File: a.txt/b', '+n'])).toBe('not_found');
    expect(await codes(['*** Add File: p', '+n', '*** Add File: p/q', '+n'])).toBe('PATCH_FAILED');
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
    expect(state()).toBe('?? link\n?? out\n');
    expect(existsSync(join(root, 'p'))).toBe(false);
  });

  it('refuses another project, a folder that is no root, and what the gates hold', async () => {
    verifies('gates.write');
    const { root, fails } = setUp(
      { 'a.txt': '1\n', 'src/b.txt': '1\n' },
      { view: (top) => liveView([{ cwd: top }, { cwd: repository(join(top, 'nested'), { 'n.txt': '1\n' }) }]) },
    );
    const change = ['*** Update File: a.txt', '@@', '-1', '+2'];
    expect((await fails(['*** Update File: nested/n.txt', '@@', '-1', '+2'])).code).toBe('cross_project_patch_denied');
    expect((await fails(change, { root: join(root, 'src') })).code).toBe('root_not_project_root');
    appendFileSync(join(root, 'a.txt'), 'dirty\n');
    expect(await fails(change)).toMatchObject({
      code: 'file_dirty_confirmation_required',
      details: { dirty: [{ path: join(root, 'a.txt'), state: 'modified' }] },
    });
    const busy = setUp(
      { 'a.txt': '1\n' },
      { view: (top) => liveView([{ cwd: top, agent: { name: 'builder', status: 'working' } }]) },
    );
    expect((await busy.fails(change)).code).toBe('agent_working');
    expect((await setUp({ 'a.txt': '1\n' }, { policy: { readOnly: true } }).fails(change)).code).toBe('readonly_mode');
    const bare = join(temporaryFolder(), 'bare.git');
    git(temporaryFolder(), 'init', '--quiet', '--bare', bare);
    const tools = testTools(fileTools, liveView([{ cwd: bare }]), { stateDir: temporaryFolder() });
    const inBare = () =>
      tools.call('herdr_fs_patch', { root: bare, patch: '*** Begin Patch\n*** Add File: x\n+x\n*** End Patch' });
    expect((await refusal(inBare)).code).toBe('operational_root_mutation_unsupported');
  });

  it('handles any name', async () => {
    const { patch, bytes } = setUp({ '-n': '1\n', 'a b': '1\n', '🙂': '1\n' });
    for (const name of ['-n', 'a b', '🙂']) await patch([`*** Update File: ${name}`, '@@', '-1', '+2']);
    expect(['-n', 'a b', '🙂'].map((name) => bytes(name).toString())).toEqual(['2\n', '2\n', '2\n']);
  });

  it('asks about dirty files once for all of them', async () => {
    const { at, fails, patch } = setUp({ a: '1\n', b: '1\n', c: '1\n' });
    appendFileSync(at('a'), 'x\n');
    appendFileSync(at('c'), 'x\n');
    const lines = ['a', 'b', 'c'].flatMap((name) => [`*** Update File: ${name}`, '@@', '-1', '+2']);
    expect((await fails(lines)).details.dirty).toEqual([
      { path: at('a'), state: 'modified' },
      { path: at('c'), state: 'modified' },
    ]);
    expect(await patch(lines, { confirm_dirty: true })).toMatchObject({ additions: 3 });
  });
});
