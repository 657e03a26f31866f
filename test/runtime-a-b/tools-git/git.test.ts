import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitTools } from '../../../runtime-a-b/tools/git/index.ts';
import { verifies } from '../../verifies.ts';
import { git, liveView, refusal, repository, temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { testTools } from '../tools-files/context.ts';

function ask(root: string, cwds: string[] = [root]) {
  const tools = testTools(gitTools, liveView(cwds.map((cwd) => ({ cwd }))));
  const run = async (action: string, more: Record<string, unknown> = {}) =>
    (await tools.call('herdr_git', { root, action, ...more })).body as unknown as Record<string, unknown> & {
      output: string;
      next_offset: number | null;
    };
  const code = async (action: string, more: Record<string, unknown> = {}) =>
    (await refusal(() => run(action, more))).code;
  return { run, code, tools };
}

const ODD = ['a b.txt', 'new\nline', '"q"', '日本.txt', ' lead', '-n'];

describe('herdr_git', () => {
  it('gives the status with counts, branch, odd names, and without secrets', async () => {
    verifies('git.reads', 'roots.secrets');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'a', '.env': 'K=1' });
    writeFiles(root, {
      'a.txt': 'b',
      '.env': 'K=2',
      'my-secret.txt': 's',
      ...Object.fromEntries(ODD.map((name) => [name, '1'])),
    });
    const body = await ask(root).run('status');
    expect(body).toMatchObject({
      root,
      exit_code: 0,
      clean: false,
      counts: { unstaged: 2, untracked: 7 },
      hidden_secret_files: 2,
      branch: { name: 'main' },
      truncated: false,
      next_offset: null,
    });
    expect(body.output.split('\n')).toEqual([
      '## main',
      ' M a.txt',
      '?? " lead"',
      '?? "\\"q\\""',
      '?? -n',
      '?? a b.txt',
      '?? "new\\nline"',
      '?? 日本.txt',
      '',
    ]);
    expect((await ask(root).run('status', { path: 'a.txt' })).output).toBe('## main\n M a.txt\n');
  });

  it('says of a path that names nothing that it does, and never calls it unchanged', async () => {
    verifies('git.reads');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'a', 'gone.txt': 'g' });
    rmSync(join(root, 'gone.txt'));
    const { run } = ask(root);
    for (const action of ['status', 'diff', 'log']) {
      expect(await run(action, { path: 'a.tx' })).toMatchObject({ path_exists: false, next: expect.any(String) });
      for (const path of ['a.txt', 'gone.txt', '.'])
        expect(await run(action, { path })).not.toHaveProperty('path_exists');
    }
  });

  it('takes no lock and works while another process holds it', async () => {
    verifies('git.reads');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'a' });
    writeFileSync(join(root, 'a.txt'), 'b');
    writeFileSync(join(root, '.git', 'index.lock'), '');
    const before = readFileSync(join(root, '.git', 'index'));
    for (const action of ['status', 'diff', 'log', 'show']) expect((await ask(root).run(action)).exit_code).toBe(0);
    expect(readFileSync(join(root, '.git', 'index'))).toEqual(before);
  });

  it('gives diffs of the working tree, the index and revisions, and names untracked files', async () => {
    verifies('git.reads', 'roots.secrets');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'one\n', 'b.txt': 'one\n', '.env': 'K=1\n' });
    writeFiles(root, {
      'a.txt': 'two\n',
      'b.txt': 'two\n',
      '.env': 'K=HIDDEN\n',
      'new.bin': Buffer.from([0, 1]),
      'new.txt': 'n',
      'credentials.json': '{}',
    });
    git(root, 'add', 'b.txt');
    const { run } = ask(root);
    const unstaged = await run('diff');
    expect(unstaged.output).toContain('+two');
    expect(unstaged.output).not.toContain('b.txt');
    expect(unstaged.output).not.toContain('HIDDEN');
    expect(unstaged).toMatchObject({
      hidden_secret_files: 1,
      untracked: [
        { path: 'new.bin', kind: 'binary', bytes: 2 },
        { path: 'new.txt', kind: 'text', bytes: 1 },
      ],
    });
    expect((await run('diff', { staged: true })).output).toContain('b.txt');
    expect((await run('diff', { rev: 'HEAD', path: 'b.txt' })).output).toContain('b.txt');
    expect((await run('diff', { path: join(root, 'new.txt') })).untracked).toEqual([
      { path: 'new.txt', kind: 'text', bytes: 1 },
    ]);
  });

  it('shows commits, files at revisions and blame', async () => {
    verifies('git.reads');
    const root = repository(join(temporaryFolder(), 'r'), {
      'src/a.txt': 'one\n',
      '.env': 'K=1\n',
      bin: Buffer.from([0, 1]),
    });
    writeFiles(root, { 'src/a.txt': 'one\ntwo\n', '.env': 'K=HIDDEN\n' });
    git(root, 'commit', '--quiet', '--all', '--message', 'second: more');
    git(root, 'tag', '--annotate', 'v1', '--message', 'the tag');
    const { run, code } = ask(root);
    expect((await run('log')).output).toMatch(
      /^[0-9a-f]+ \S+ Test: second: more \(HEAD -> main, tag: v1\)\n[0-9a-f]+ \S+ Test: first\n$/,
    );
    expect((await run('log', { max_count: 1 })).output.split('\n')).toHaveLength(2);
    expect((await run('log', { path: 'bin' })).output).toContain('first');
    const shown = await run('show', { rev: 'v1' });
    expect(shown.output).toContain('the tag');
    expect(shown.output).toContain('+two');
    expect(shown.output).not.toContain('HIDDEN');
    expect((await run('show', { rev: 'HEAD~1:src/a.txt' })).output).toBe('one\n');
    expect((await run('show', { rev: 'HEAD~1..HEAD', path: 'src' })).output).toContain('+two');
    expect((await run('blame', { path: 'src/a.txt' })).output).toMatch(/\(Test .*1\) one\n.*\(Test .*2\) two\n/);
    expect(await code('show', { rev: 'HEAD:.env' })).toBe('secret_path_denied');
    expect(await code('show', { rev: 'HEAD:./.env' })).toBe('secret_path_denied');
    expect(await code('show', { rev: git(root, 'rev-parse', 'HEAD:.env').trim() })).toBe('invalid_params');
    expect(await code('show', { rev: 'HEAD:bin' })).toBe('binary_file');
    expect(await code('blame', { path: '.env' })).toBe('secret_path_denied');
    expect(await code('blame')).toBe('invalid_params');
  });

  it('pages a long output by offset, without losing a byte', async () => {
    verifies('git.reads');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': '' });
    writeFileSync(join(root, 'a.txt'), Array.from({ length: 3_000 }, (_, n) => `Zeile ${n} äöü\n`).join(''));
    const { run } = ask(root);
    const whole = await run('diff', { max_bytes: 512_000 });
    let all = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const page: Awaited<ReturnType<typeof run>> = await run('diff', { offset, max_bytes: 7_000 });
      all += page.output;
      offset = page.next_offset;
    }
    expect(all).toBe(whole.output);
    expect(whole).toMatchObject({ truncated: false, output_bytes: Buffer.byteLength(all) });
    expect(await run('diff', { max_bytes: 100 })).toMatchObject({ truncated: true });
  });

  it('works in worktrees, submodules, bare and empty repositories, and during a rebase', async () => {
    verifies('git.reads');
    const base = temporaryFolder();
    const main = repository(join(base, 'main'), { 'a.txt': 'a\n' });
    const inner = repository(join(base, 'inner'), { 'x.txt': 'x\n' });
    git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(main, 'commit', '--quiet', '--message', 'sub');
    git(main, 'worktree', 'add', '--quiet', join(base, 'tree'), '-b', 'side');
    git(base, 'clone', '--quiet', '--bare', main, 'bare.git');
    appendFileSync(join(main, 'sub', 'x.txt'), 'y\n');
    mkdirSync(join(base, 'empty'));
    git(join(base, 'empty'), 'init', '--quiet', '--initial-branch=main');

    expect((await ask(main).run('status')).output).toContain(' M sub (modified content)');
    expect((await ask(join(main, 'sub'), [main]).run('diff')).output).toContain('+y');
    writeFileSync(join(base, 'tree', 'a.txt'), 'side\n');
    git(join(base, 'tree'), 'commit', '--quiet', '--all', '--message', 'on side');
    expect((await ask(join(base, 'tree')).run('log')).output).toContain('on side');
    const bare = ask(join(base, 'bare.git'));
    expect((await bare.run('log')).output).toContain('sub');
    expect((await bare.run('show', { rev: 'HEAD:a.txt' })).output).toBe('a\n');
    expect(await bare.code('status')).toBe('git_failed');
    const empty = ask(join(base, 'empty'));
    expect(await empty.run('status')).toMatchObject({
      clean: true,
      branch: { commit: null },
      output: '## No commits yet on main\n',
    });
    expect(await empty.run('log')).toMatchObject({ output: '', no_commits: true });
    expect(await empty.run('diff')).toMatchObject({ output: '' });
    expect(await empty.code('show')).toBe('git_failed');

    writeFileSync(join(main, 'a.txt'), 'main\n');
    git(main, 'commit', '--quiet', '--all', '--message', 'on main');
    expect(() => git(join(base, 'tree'), 'rebase', 'main')).toThrow();
    expect(await ask(join(base, 'tree')).run('status')).toMatchObject({
      under_way: [{ kind: 'rebase', step: 1, of: 1 }],
      counts: { conflicted: 1 },
      branch: { name: null },
    });
  });

  it.each([
    ['show', {}],
    ['show', { rev: 'HEAD' }],
    ['show', { rev: 'HEAD:a.txt' }],
    ['show', { rev: 'main' }],
    ['blame', { path: 'a.txt' }],
    ['blame', { path: 'a.txt', rev: 'HEAD' }],
    ['diff', { rev: 'HEAD' }],
  ])('says of a repository without commits that there are none: %s %j', async (action, more) => {
    verifies('git.reads');
    const root = join(temporaryFolder(), 'empty');
    mkdirSync(root);
    git(root, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(root, 'a.txt'), 'a');
    const failure = await refusal(() => ask(root).run(action, more));
    expect(failure).toMatchObject({ code: 'git_failed', details: { action, no_commits: true } });
    expect(failure.message).toContain(`has no commits yet, so there is nothing to ${action}`);
    expect(failure.next).toContain('herdr_git status');
    expect(await ask(root).run('log', { rev: 'HEAD' })).toMatchObject({ output: '', no_commits: true });
  });

  it('tells a branch without commits from a repository without any', async () => {
    verifies('git.reads');
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'a' });
    git(root, 'checkout', '--quiet', '--orphan', 'fresh');
    const { run } = ask(root);
    const failure = await refusal(() => run('show'));
    expect(failure.message).toContain('The branch that is checked out');
    expect(failure.next).toContain('as rev a branch that has commits');
    expect((await run('show', { rev: 'main' })).output).toContain('a.txt');
    expect((await refusal(() => run('show', { rev: 'nowhere' }))).details).not.toHaveProperty('no_commits');
  });

  it('runs no program that the repository names', async () => {
    verifies('git.reads');
    const base = temporaryFolder();
    const root = repository(join(base, 'r'), { '.gitattributes': '*.x diff=evil\n', 'a.x': '1\n' });
    const touch = `touch ${join(base, 'EVIL')}; cat`;
    for (const [key, value] of [
      ['diff.evil.textconv', touch],
      ['diff.evil.command', touch],
      ['diff.external', touch],
      ['core.fsmonitor', touch],
      ['core.pager', touch],
      ['pager.log', touch],
    ] as const) {
      git(root, 'config', key, value);
    }
    writeFileSync(join(root, 'a.x'), '2\n');
    const { run } = ask(root);
    for (const action of ['status', 'diff', 'log', 'show']) await run(action);
    await run('blame', { path: 'a.x' });
    expect(existsSync(join(base, 'EVIL'))).toBe(false);
  });

  it('refuses what is no repository, no root, no path of it and no revision', async () => {
    verifies('git.reads');
    const base = temporaryFolder();
    const root = repository(join(base, 'r'), { 'src/a.txt': 'a' });
    mkdirSync(join(base, 'plain'));
    const { code } = ask(root);
    expect(await ask(join(base, 'plain')).code('status')).toBe('not_a_git_repo');
    expect(await ask(join(root, 'src'), [root]).code('status')).toBe('root_not_project_root');
    expect(await ask('/etc', [root]).code('status')).toBe('outside_managed_roots');
    expect(await code('diff', { path: '../plain/x' })).toBe('outside_managed_roots');
    expect(await code('diff', { path: '/etc/passwd' })).toBe('outside_managed_roots');
    expect(await code('log', { rev: '--output=x' })).toBe('invalid_params');
    expect(await code('log', { rev: 'no-such-branch' })).toBe('git_failed');
    expect(await code('blame', { path: 'missing.txt' })).toBe('git_failed');
    rmSync(join(root, '.git', 'HEAD'));
    expect(['git_failed', 'outside_managed_roots', 'not_a_git_repo']).toContain(await code('status'));
  });

  it('can be cancelled', async () => {
    const root = repository(join(temporaryFolder(), 'r'), {});
    const stop = new AbortController();
    stop.abort();
    const tools = testTools(gitTools, liveView([{ cwd: root }]), { signal: stop.signal });
    expect((await refusal(() => tools.call('herdr_git', { root, action: 'log' }))).code).toBe('cancelled');
  });
});
