import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { theirs } from '../harness/index.ts';
import { herdr } from './herdr.ts';

let round = 0;
let repo = '';

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });

beforeEach(() => {
  round += 1;
  repo = join(herdr.work, `billing-${round}`);
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  git(repo, 'config', 'user.email', 'test@example.invalid');
  git(repo, 'config', 'user.name', 'Test');
  writeFileSync(join(repo, 'a.txt'), 'one\n');
  git(repo, 'add', '.');
  git(repo, 'commit', '-q', '-m', 'first');
});

describe('worktrees', () => {
  it('are listed from a workspace or a directory', async () => {
    verifies('embedded.protocol');
    const { workspace_id } = await herdr.open('listed', { cwd: repo });
    const list = await herdr.call('worktree.list', { workspace_id });
    expect(list.source).toMatchObject({
      repo_key: join(repo, '.git'),
      repo_name: `billing-${round}`,
      repo_root: repo,
      source_checkout_path: repo,
      source_workspace_id: workspace_id,
    });
    expect(list.worktrees).toMatchObject([
      {
        path: repo,
        branch: 'main',
        is_linked_worktree: false,
        is_bare: false,
        is_detached: false,
        open_workspace_id: workspace_id,
      },
    ]);
    expect((await herdr.call('worktree.list', { cwd: repo })).worktrees).toHaveLength(1);
  });

  it('are created on a new branch with a workspace of their own, and removed with it; the branch stays', async () => {
    const main = await herdr.open('main', { cwd: repo });
    const events = await herdr.subscribe([
      { type: 'worktree.created' },
      { type: 'worktree.removed' },
      { type: 'workspace.closed' },
    ]);
    const path = join(herdr.work, `fix-${round}`);
    const made = await herdr.call('worktree.create', { workspace_id: main.workspace_id, branch: 'fix/rounding', path });
    expect(made.worktree).toMatchObject({ path, branch: 'fix/rounding', is_linked_worktree: true });
    expect(made.workspace.worktree).toMatchObject({ repo_root: repo, checkout_path: path, is_linked_worktree: true });
    expect(made.root_pane.cwd).toBe(path);
    expect(existsSync(join(path, 'a.txt'))).toBe(true);
    const { workspace_id } = made.workspace;
    const here = (data: Record<string, unknown>) => JSON.stringify(data).includes(`"${workspace_id}"`);
    await events.event('worktree_created', here);
    const { workspace: parent } = await herdr.call('workspace.get', { workspace_id: main.workspace_id });
    expect(parent.worktree).toMatchObject({ is_linked_worktree: false, repo_root: repo });

    expect(await herdr.refusal('worktree.create', { workspace_id, branch: 'x' })).toBe('linked_worktree_source');
    writeFileSync(join(path, 'new.txt'), 'unsaved\n');
    expect(await herdr.refusal('worktree.remove', { workspace_id })).toBe('dirty_worktree_requires_force');
    expect(existsSync(join(path, 'new.txt'))).toBe(true);
    const removed = await herdr.call('worktree.remove', { workspace_id, force: true });
    expect(removed).toMatchObject({ workspace_id, path, forced: true });
    expect(existsSync(path)).toBe(false);
    expect(git(repo, 'branch', '--list', 'fix/rounding')).toContain('fix/rounding');
    if (!theirs(herdr, 'forced-removal')) {
      await events.event('workspace_closed', (data) => data['workspace_id'] === workspace_id);
    }
    await events.event('worktree_removed', (data) => data['workspace_id'] === workspace_id);
    events.close();
  });

  it('are opened by branch or path, once', async () => {
    const main = await herdr.open('opens', { cwd: repo });
    const path = join(herdr.work, `existing-${round}`);
    git(repo, 'worktree', 'add', '-q', '-b', 'existing', path);
    const opened = await herdr.call('worktree.open', { workspace_id: main.workspace_id, branch: 'existing' });
    expect(opened).toMatchObject({ already_open: false, worktree: { path, branch: 'existing' } });
    const again = await herdr.call('worktree.open', { workspace_id: main.workspace_id, path });
    expect(again.already_open).toBe(true);
    expect(again.workspace.workspace_id).toBe(opened.workspace.workspace_id);
  });

  it('of a family close with their main checkout', async () => {
    const main = await herdr.open('family', { cwd: repo });
    const made = await herdr.call('worktree.create', {
      workspace_id: main.workspace_id,
      branch: 'sibling',
      path: join(herdr.work, `sibling-${round}`),
    });
    await herdr.call('workspace.close', { workspace_id: main.workspace_id });
    expect(await herdr.refusal('workspace.get', { workspace_id: made.workspace.workspace_id })).toBe(
      'workspace_not_found',
    );
  });

  it('are refused by name where there is no repository, no branch, or a contradiction', async () => {
    verifies('embedded.refusals');
    const plain = join(herdr.base, 'home');
    const main = await herdr.open('refusing', { cwd: repo });
    const { workspace_id } = main;
    expect(await herdr.refusal('worktree.list', { cwd: plain })).toBe('not_git_worktree');
    expect(await herdr.refusal('worktree.list', { cwd: 'relative' })).toBe('invalid_request');
    expect(await herdr.refusal('worktree.list', { cwd: repo, workspace_id })).toBe('invalid_request');
    expect(await herdr.refusal('worktree.open', { workspace_id, branch: 'nowhere' })).toBe('worktree_not_found');
    expect(await herdr.refusal('worktree.open', { workspace_id })).toBe('invalid_request');
    expect(await herdr.refusal('worktree.open', { workspace_id, branch: 'a', path: '/b' })).toBe('invalid_request');
    expect(await herdr.refusal('worktree.remove', { workspace_id })).toBe('not_linked_worktree');
    const bad = { workspace_id, branch: 'from-nowhere', base: 'no-such-base', path: join(herdr.work, `bad-${round}`) };
    expect(await herdr.refusal('worktree.create', bad)).toBe('worktree_create_failed');
  });
});
