import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { busyFacts, createRoots, type LiveView } from '../../../runtime-a-b/roots/index.ts';
import { PLACE_PROBE_MS } from '../../../runtime-a-b/roots/limits.ts';
import { verifies } from '../../verifies.ts';
import { git, liveView, refusal, repository, temporaryFolder } from './live-view.ts';

function rootsFor(options: { homeDir?: string; protectedFolders?: string[] } = {}) {
  let now = 1_000_000;
  const roots = createRoots({
    homeDir: 'homeDir' in options ? options.homeDir : homedir(),
    protectedFolders: options.protectedFolders ?? [],
    nowMs: () => now,
  });
  return { roots, pass: (ms: number) => (now += ms) };
}

const paths = async (roots: ReturnType<typeof createRoots>, view: LiveView) =>
  (await roots.table(view)).roots.map((root) => [root.kind, root.path]);

describe('the roots of a live picture', () => {
  it('finds the checkout above a pane, a worktree, a submodule and a bare repository, deepest first', async () => {
    const base = temporaryFolder();
    const main = repository(join(base, 'main'), { 'src/deep/a.txt': 'a' });
    const inner = repository(join(base, 'inner-origin'), { 'x.txt': 'x' });
    git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(main, 'worktree', 'add', '--quiet', join(base, 'tree'), '-b', 'side');
    git(base, 'clone', '--quiet', '--bare', main, 'bare.git');
    const { roots } = rootsFor();
    const view = liveView([
      { cwd: join(main, 'src', 'deep') },
      { cwd: base, foreground: join(main, 'sub') },
      { cwd: join(base, 'tree') },
      { cwd: join(base, 'bare.git', 'refs') },
      { cwd: join(main, '.git', 'objects') },
    ]);
    verifies('roots.boundary');
    expect(await paths(roots, view)).toEqual([
      ['git', join(main, 'sub')],
      ['git', join(base, 'bare.git')],
      ['git', main],
      ['git', join(base, 'tree')],
      ['operational', base],
    ]);
    const table = await roots.table(view);
    expect(table.roots.find((root) => root.path === main)?.panes).toEqual(['p1', 'p5']);
    expect(table.roots.find((root) => root.bare)?.path).toBe(join(base, 'bare.git'));
  });

  it('takes a plain directory exactly, and neither its parent nor its sibling', async () => {
    verifies('roots.operational');
    const base = temporaryFolder();
    mkdirSync(join(base, 'plain', 'below'), { recursive: true });
    mkdirSync(join(base, 'plain-sibling'));
    writeFileSync(join(base, 'plain', 'below', 'f'), 'f');
    writeFileSync(join(base, 'plain-sibling', 'f'), 'f');
    writeFileSync(join(base, 'f'), 'f');
    const { roots } = rootsFor();
    const view = liveView([{ cwd: join(base, 'plain') }]);
    expect(await paths(roots, view)).toEqual([['operational', join(base, 'plain')]]);
    expect((await roots.existing(view, join(base, 'plain', 'below', 'f'))).relative).toBe('below/f');
    for (const path of [join(base, 'plain-sibling', 'f'), join(base, 'f'), base]) {
      expect((await refusal(() => roots.existing(view, path))).code).toBe('outside_managed_roots');
    }
  });

  it('never takes HOME or what is above it, under any spelling, and ignores a repository made of HOME', async () => {
    verifies('roots.operational');
    const base = temporaryFolder();
    const home = join(base, 'people', 'me');
    repository(home, { 'project/a.txt': 'a' });
    symlinkSync(home, join(base, 'alias'));
    symlinkSync(join(base, 'people'), join(base, 'alias-above'));
    const { roots } = rootsFor({ homeDir: home });
    const view = liveView([
      { cwd: home },
      { cwd: dirname(home) },
      { cwd: base },
      { cwd: '/' },
      { cwd: join(base, 'alias') },
      { cwd: join(base, 'alias-above', 'me') },
      { cwd: `/System/Volumes/Data${home}` },
      { cwd: join(home, 'project') },
    ]);
    expect(await paths(roots, view)).toEqual([['operational', join(home, 'project')]]);
    expect((await roots.table(view)).refused.get(home)).toContain('home directory');
  });

  it('takes HOME by device and inode when its text is another', async () => {
    verifies('roots.operational');
    const base = temporaryFolder();
    mkdirSync(join(base, 'real-home'));
    symlinkSync(join(base, 'real-home'), join(base, 'home'));
    const { roots } = rootsFor({ homeDir: join(base, 'home') });
    expect(await paths(roots, liveView([{ cwd: join(base, 'real-home') }]))).toEqual([]);
  });

  it('has no root while HOME is unknown', async () => {
    verifies('roots.operational');
    const base = temporaryFolder();
    const { roots } = rootsFor({ homeDir: undefined as unknown as string });
    expect(await paths(roots, liveView([{ cwd: base }, { cwd: repository(join(base, 'r')) }]))).toEqual([]);
  });

  it('keeps the roots of a stale picture while they exist, marked stale; an unknown picture has none', async () => {
    verifies('herdr.live');
    const base = temporaryFolder();
    const kept = repository(join(base, 'kept'), { a: 'a' });
    const view = liveView([{ cwd: kept }, { cwd: join(base, 'gone') }], 'stale');
    const { roots } = rootsFor();
    const table = await roots.table(view);
    expect(table.roots.map((root) => [root.path, root.stale])).toEqual([[kept, true]]);
    expect((await roots.existing(view, join(kept, 'a'))).root.stale).toBe(true);
    const none = liveView([], 'unknown');
    expect((await refusal(() => roots.existing(none, join(kept, 'a')))).code).toBe('herdr_unavailable');
  });

  it('sees a directory opened a moment ago, and a git init after the place expired', async () => {
    const base = temporaryFolder();
    const plain = join(base, 'plain');
    const { roots, pass } = rootsFor();
    const view = liveView([{ cwd: plain }]);
    expect(await paths(roots, view)).toEqual([]);
    mkdirSync(plain);
    expect((await roots.existing(view, plain, 'directory')).path).toBe(plain);
    git(plain, 'init', '--quiet');
    pass(60_000);
    expect(await paths(roots, view)).toEqual([['git', plain]]);
    rmSync(plain, { recursive: true });
    pass(60_000);
    expect(await paths(roots, view)).toEqual([]);
  });

  it('does not take its own business for a dead mount', async () => {
    verifies('roots.boundary');
    const root = repository(join(temporaryFolder(), 'r'), { a: 'a' });
    const { roots } = rootsFor();
    const asked = paths(roots, liveView([{ cwd: root }]));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PLACE_PROBE_MS + 100);
    expect(await asked).toEqual([['git', root]]);
  });

  it('does not look at a protected folder', async () => {
    verifies('roots.protected');
    const base = temporaryFolder();
    const root = repository(join(base, 'Documents', 'app'), { a: 'a' });
    const open = repository(join(base, 'open'), {});
    symlinkSync(join(root, 'a'), join(open, 'link'));
    const { roots } = rootsFor({ protectedFolders: [join(base, 'Documents')] });
    const view = liveView([{ cwd: root }, { cwd: open }]);
    expect(await paths(roots, view)).toEqual([['git', open]]);
    expect((await refusal(() => roots.existing(view, join(root, 'a')))).code).toBe('protected_folder_unavailable');
    expect((await refusal(() => roots.existing(view, join(open, 'link')))).code).toBe('protected_folder_unavailable');
  });

  it('says which roots there are and how to get another', async () => {
    const base = temporaryFolder();
    const root = repository(join(base, 'r'));
    const { roots } = rootsFor();
    const refused = await refusal(() => roots.existing(liveView([{ cwd: root }]), '/etc/passwd'));
    expect(refused.message).toContain(root);
    expect(refused.next).toContain('workspace.create');
    expect(refused.details).toEqual({ roots: [{ root, vcs: 'git' }] });
  });

  it('names an exact root by any live spelling, and nothing below it', async () => {
    const base = temporaryFolder();
    const root = repository(join(base, 'r'), { 'src/a': 'a' });
    symlinkSync(root, join(base, 'alias'));
    const { roots } = rootsFor();
    const view = liveView([{ cwd: join(base, 'alias', 'src') }]);
    expect((await roots.exact(view, join(base, 'alias'))).path).toBe(root);
    expect((await roots.exact(view, `${root}/`)).path).toBe(root);
    expect((await refusal(() => roots.exact(view, join(root, 'src')))).code).toBe('root_not_project_root');
    expect(await refusal(() => roots.exact(view, '/etc'))).toMatchObject({ code: 'outside_managed_roots' });
  });

  it('treats a broken .git file as no root and walks past an empty .git folder', async () => {
    const base = temporaryFolder();
    const main = repository(join(base, 'main'));
    git(main, 'worktree', 'add', '--quiet', join(base, 'tree'), '-b', 'side');
    renameSync(main, join(base, 'moved'));
    mkdirSync(join(base, 'empty', '.git'), { recursive: true });
    const { roots } = rootsFor();
    const view = liveView([{ cwd: join(base, 'tree') }, { cwd: join(base, 'empty') }]);
    expect(await paths(roots, view)).toEqual([['operational', realpathSync(join(base, 'empty'))]]);
  });
});

describe('agents of a root', () => {
  it('sorts them by status; one without a directory counts where its workspace does', async () => {
    const base = temporaryFolder();
    const a = repository(join(base, 'a'));
    const b = repository(join(base, 'b'));
    const view = liveView([
      { cwd: a, agent: { name: 'builder', status: 'working' } },
      { cwd: a, agent: { name: 'rester', status: 'idle' } },
      { cwd: b, agent: { name: 'other', status: 'working' } },
      { agent: { name: 'lost', status: 'unknown' } },
    ]);
    const { roots } = rootsFor();
    const table = await roots.table(view);
    const root = await roots.exact(view, a);
    expect(busyFacts(view, table, root)).toEqual({
      state: 'live',
      working: [{ pane: 'p1', agent: 'builder' }],
      unclear: [{ pane: 'p4', agent: 'lost' }],
    });
  });
});
