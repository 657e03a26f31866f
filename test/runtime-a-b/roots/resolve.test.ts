import { closeSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRoots, openFolderInside, openInside, refuseGitInternal } from '../../../runtime-a-b/roots/index.ts';
import { verifies } from '../../verifies.ts';
import { liveView, refusal, repository, temporaryFolder, writeFiles } from './live-view.ts';

function setUp(files: Record<string, string> = { 'src/a.txt': 'inside' }) {
  const base = temporaryFolder();
  const root = repository(join(base, 'root'), files);
  writeFiles(base, { 'outside/secret-plan.txt': 'OUTSIDE', 'outside/a.txt': 'OUTSIDE', 'root-evil/a.txt': 'OUTSIDE' });
  const roots = createRoots({ homeDir: homedir(), protectedFolders: [], nowMs: () => 0 });
  const view = liveView([{ cwd: root }]);
  const code = async (path: string) => (await refusal(() => roots.existing(view, path))).code;
  const newCode = async (path: string) => (await refusal(() => roots.fresh(view, path))).code;
  return { base, root, roots, view, code, newCode };
}

describe('an existing path', () => {
  it('is refused by its text when it is outside', async () => {
    verifies('roots.boundary');
    const { root, code } = setUp();
    expect(await code(`${root}/../outside/a.txt`)).toBe('outside_managed_roots');
    expect(await code(`${root}-evil/a.txt`)).toBe('outside_managed_roots');
    expect(await code(`${root}/src/../../outside/a.txt`)).toBe('outside_managed_roots');
    expect(await code('src/a.txt')).toBe('invalid_params');
    expect(await code('~/a.txt')).toBe('invalid_params');
    expect(await code(`${root}/a\0b`)).toBe('invalid_params');
    expect(await code(`/${'x'.repeat(5000)}`)).toBe('invalid_params');
    expect(await code(`${root}/${'x'.repeat(300)}`)).toBe('stat_failed');
    expect(await code(`${root}/src/missing`)).toBe('not_found');
    expect(await code(`${root}/src/a.txt/below`)).toBe('not_found');
  });

  it('may be spelled with dots, and its symlinks are followed inside the root only', async () => {
    verifies('roots.boundary');
    const { base, root, roots, view, code } = setUp({ 'src/a.txt': 'inside', '.env': 'KEY=1' });
    symlinkSync('src/a.txt', join(root, 'good'));
    symlinkSync(join(base, 'outside/a.txt'), join(root, 'bad'));
    symlinkSync('../outside', join(root, 'bad-folder'));
    symlinkSync('.env', join(root, 'harmless.txt'));
    symlinkSync('loop', join(root, 'loop'));
    expect((await roots.existing(view, `${root}/./src/../good`)).path).toBe(join(root, 'src/a.txt'));
    expect(await code(`${root}/bad`)).toBe('symlink_escape');
    expect(await code(`${root}/bad-folder/a.txt`)).toBe('symlink_escape');
    expect(await code(`${root}/harmless.txt`)).toBe('secret_path_denied');
    expect(await code(`${root}/.env`)).toBe('secret_path_denied');
    expect(await code(`${root}/loop`)).toBe('stat_failed');
  });

  it('belongs to the deepest root', async () => {
    const { root, roots } = setUp({ 'src/a.txt': 'x' });
    const nested = repository(join(root, 'nested'), { 'b.txt': 'b' });
    const view = liveView([{ cwd: root }, { cwd: nested }]);
    const resolved = await roots.existing(view, join(nested, 'b.txt'));
    expect([resolved.root.path, resolved.relative]).toEqual([nested, 'b.txt']);
  });
});

describe('a new path', () => {
  it('in a root that was deleted is told so, not to make a directory there', async () => {
    verifies('roots.boundary');
    const { root, roots, view } = setUp();
    await roots.existing(view, `${root}/src/a.txt`);
    rmSync(root, { recursive: true });
    const gone = await refusal(() => roots.fresh(view, `${root}/new.txt`));
    expect([gone.code, gone.next]).toEqual(['parent_not_found', expect.stringContaining('The root itself is gone')]);
  });

  it('needs a parent inside the root', async () => {
    verifies('roots.boundary');
    const { base, root, roots, view, newCode } = setUp();
    symlinkSync(join(base, 'outside'), join(root, 'bad-folder'));
    symlinkSync('nowhere', join(root, 'dangling'));
    symlinkSync('src', join(root, 'good-folder'));
    expect(await newCode(`${root}/bad-folder/new.txt`)).toBe('symlink_escape');
    expect(await newCode(`${root}/dangling`)).toBe('not_found');
    expect(await newCode(`${root}/missing/new.txt`)).toBe('parent_not_found');
    expect(await newCode(`${root}/src/a.txt/new.txt`)).toBe('not_found');
    expect(await newCode(`${root}/.env.local`)).toBe('secret_path_denied');
    expect(await newCode(`${base}/outside/new.txt`)).toBe('outside_managed_roots');
    expect(await roots.fresh(view, `${root}/good-folder/new.txt`)).toMatchObject({
      exists: false,
      path: join(root, 'src/new.txt'),
      missing: [],
    });
    expect(await roots.fresh(view, `${root}/x/y/new.txt`, { makeParents: true })).toMatchObject({
      path: join(root, 'x/y/new.txt'),
      parent: root,
      missing: [join(root, 'x'), join(root, 'x/y')],
    });
    expect(await roots.fresh(view, `${root}/good-folder/a.txt`)).toMatchObject({
      exists: true,
      path: join(root, 'src/a.txt'),
    });
    expect((await refusal(() => roots.fresh(view, `${root}/bad-folder/x/new`, { makeParents: true }))).code).toBe(
      'symlink_escape',
    );
  });

  it('is none of Git’s own files', async () => {
    const { root, roots, view } = setUp();
    const hook = await roots.fresh(view, `${root}/.git/hooks/pre-commit`, { makeParents: true });
    expect((await refusal(() => refuseGitInternal(hook))).code).toBe('outside_managed_roots');
  });
});

describe.each(['proc', 'inode'] as const)('opening, proven by %s', (check) => {
  it('reads the file, and refuses what was swapped between check and use', async () => {
    verifies('roots.boundary');
    const { base, root, roots, view } = setUp();
    const resolved = await roots.existing(view, join(root, 'src/a.txt'));
    const file = openInside(resolved, { check });
    expect(readFileSync(file.fd, 'utf8')).toBe('inside');
    closeSync(file.fd);

    rmSync(join(root, 'src/a.txt'));
    symlinkSync(join(base, 'outside/a.txt'), join(root, 'src/a.txt'));
    expect((await refusal(() => openInside(resolved, { check }))).code).toBe('symlink_escape');

    renameSync(join(root, 'src'), join(root, 'was-src'));
    symlinkSync(join(base, 'outside'), join(root, 'src'));
    expect((await refusal(() => openInside(resolved, { check }))).code).toBe('symlink_escape');
  });

  it('names what is no file and no folder', async () => {
    const { root, roots, view } = setUp();
    const folder = await roots.existing(view, join(root, 'src'), 'directory');
    expect((await refusal(() => openInside(folder, { check }))).code).toBe('not_a_file');
    closeSync(openFolderInside(folder, check).fd);
    const file = await roots.existing(view, join(root, 'src/a.txt'));
    expect((await refusal(() => openFolderInside(file, check))).code).toBe('not_a_directory');
    rmSync(join(root, 'src/a.txt'));
    expect((await refusal(() => openInside(file, { check }))).code).toBe('not_found');
  });
});

describe('generated trees', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    'Ä',
    '日本',
    'x y',
    '-n',
    '..x',
    'link',
    'e\u0301',
    '🙂',
    'line\nbreak',
    '"q"',
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: name },
    { weight: 2, arbitrary: fc.constant('..') },
    fc.constant('.'),
    fc.constant(''),
  );

  it('never lead outside, whatever the mixture of names, dots, symlinks and hard links', async () => {
    verifies('roots.boundary');
    const { base, root, roots, view } = setUp();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.array(name, { minLength: 1, maxLength: 3 }),
            fc.constantFrom('file', 'folder', 'in', 'out', 'up', 'hard'),
          ),
          { maxLength: 8 },
        ),
        fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        async (tree, questions) => {
          const top = join(root, 't');
          rmSync(top, { recursive: true, force: true });
          mkdirSync(top);
          for (const [parts, kind] of tree) {
            const path = join(top, ...parts);
            try {
              mkdirSync(join(path, '..'), { recursive: true });
              if (kind === 'file') writeFileSync(path, 'INSIDE', { flag: 'wx' });
              else if (kind === 'folder') mkdirSync(path);
              else if (kind === 'in') symlinkSync(join(top, 'a'), path);
              else if (kind === 'out') symlinkSync(join(base, 'outside'), path);
              else if (kind === 'up') symlinkSync('../../..', path);
              else linkSync(join(root, 'src/a.txt'), path);
            } catch {
              // a name that is taken already, or a path through a file: the tree stays as it is
            }
          }
          for (const question of questions) {
            const asked = `${top}/${question.join('/')}`;
            try {
              const resolved = await roots.existing(view, asked);
              expect(resolved.path === root || resolved.path.startsWith(`${root}/`)).toBe(true);
              const file = openInside(resolved);
              expect(['INSIDE', 'inside']).toContain(readFileSync(file.fd, 'utf8'));
              closeSync(file.fd);
            } catch (error) {
              expect(error).toHaveProperty('next');
            }
            try {
              const fresh = await roots.fresh(view, asked, { makeParents: true });
              expect(fresh.path === root || fresh.path.startsWith(`${root}/`)).toBe(true);
            } catch (error) {
              expect(error).toHaveProperty('next');
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
