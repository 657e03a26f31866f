import { join } from 'node:path';
import type { HerdrErrorCode } from '../../contract/herdr/index.ts';
import {
  branchSlug,
  type Checkout,
  type GitOutcome,
  generatedBranch,
  type Repository,
  repositoryAt,
} from '../git/index.ts';
import {
  closeWorkspace,
  createWorkspace,
  focusWorkspace,
  paneInfo,
  type Session,
  tabInfo,
  type Workspace,
  workspaceInfo,
} from '../session/index.ts';
import { type Call, CallError, type Handlers, workspaceNamed } from './call.ts';
import { opening } from './workspaces.ts';
import { absolute, membership, openOn, requireMain, sourceOf, tagMain, worktreeInfo } from './worktree-source.ts';

/** Opens a workspace on a checkout that exists. */
function openCheckout(
  call: Call,
  repository: Repository,
  checkout: Checkout,
  wishes: { label?: string | null; focus?: boolean },
): { workspace: Workspace; answer: Pick<ReturnType<typeof opened>, 'workspace' | 'tab' | 'root_pane'> } {
  const { session } = call;
  tagMain(session, repository);
  const label = wishes.label ?? (checkout.branch ? branchSlug(checkout.branch) : undefined);
  const made = opening('worktree_open_failed', () =>
    createWorkspace(session, { cwd: checkout.path, label, focus: wishes.focus }, membership(repository, checkout)),
  );
  return { workspace: made.workspace, answer: opened(session, made.workspace) };
}

function opened(session: Session, workspace: Workspace) {
  const tab = workspace.tabs.find((candidate) => candidate.id === workspace.activeTab);
  const pane = tab && session.panes.get(tab.focusedPane);
  if (!tab || !pane) throw new CallError('worktree_open_failed', `${workspace.id} was closed meanwhile`);
  return {
    workspace: workspaceInfo(session, workspace),
    tab: tabInfo(session, tab),
    root_pane: paneInfo(session, pane),
  };
}

/** Repositories whose worktrees are being changed right now. */
const busy = new Set<string>();

async function alone<T>(repository: Repository, act: () => Promise<T>): Promise<T> {
  if (busy.has(repository.key)) {
    throw new CallError(
      'worktree_operation_in_progress',
      `the worktrees of ${repository.root} are being changed by another call; nothing was done`,
    );
  }
  busy.add(repository.key);
  try {
    return await act();
  } finally {
    busy.delete(repository.key);
  }
}

function succeeded(outcome: GitOutcome, code: HerdrErrorCode): void {
  if (!outcome.ok) throw new CallError(code, outcome.stderr.trim() || 'git failed without a word');
}

/** A branch or base that git would take for an option is no name. */
function plainRef(name: string, what: string): string {
  if (name === '' || name.startsWith('-')) {
    throw new CallError('invalid_request', `${JSON.stringify(name)} is no ${what}; nothing was done`);
  }
  return name;
}

async function addWorktree(
  call: Call,
  repository: Repository,
  branch: string,
  base: string,
  path: string,
): Promise<void> {
  const exists = await call.git(repository.root, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]);
  const args = exists.ok ? ['--', path, branch] : ['-b', branch, '--', path, base];
  succeeded(await call.git(repository.root, ['worktree', 'add', ...args]), 'worktree_create_failed');
}

type Owned = 'worktree.list' | 'worktree.create' | 'worktree.open' | 'worktree.remove';

export const worktreeMethods: Pick<Handlers, Owned> = {
  'worktree.list': async (params, call) => {
    const { session } = call;
    const { repository, workspace } = await sourceOf(call, params, 'worktree_list_failed');
    const source = workspace ?? openOn(session, repository.checkout);
    return {
      type: 'worktree_list',
      source: {
        repo_key: repository.key,
        repo_name: repository.name,
        repo_root: repository.root,
        source_checkout_path: repository.checkout,
        ...(source ? { source_workspace_id: source.id } : {}),
      },
      worktrees: repository.checkouts.map((checkout) => worktreeInfo(session, repository, checkout)),
    };
  },
  'worktree.create': async (params, call) => {
    const { session } = call;
    const source = await sourceOf(call, params, 'worktree_create_failed');
    requireMain(source);
    const { repository } = source;
    const branch = plainRef(params.branch ?? generatedBranch(session.ports.randomHex()), 'branch');
    const base = plainRef(params.base ?? 'HEAD', 'base');
    const path = params.path
      ? absolute(session, params.path, 'path')
      : join(session.ports.home, '.herdr', 'worktrees', repository.name, branchSlug(branch));
    return alone(repository, async () => {
      await addWorktree(call, repository, branch, base, path);
      const again = await repositoryAt(call.git, path);
      const now = again.kind === 'found' ? again.repository : repository;
      const checkout = now.checkouts.find((candidate) => candidate.path === now.checkout && candidate.isLinked);
      if (!checkout) throw new CallError('worktree_open_failed', `git made ${path} but does not list it`);
      const { workspace, answer } = openCheckout(call, now, checkout, params);
      const worktree = worktreeInfo(session, now, checkout);
      session.ports.ring.append({
        event: 'worktree_created',
        data: { type: 'worktree_created', workspace: workspaceInfo(session, workspace), worktree },
      });
      return { type: 'worktree_created' as const, ...answer, worktree };
    });
  },
  'worktree.open': async (params, call) => {
    const { session } = call;
    if (Boolean(params.path) === Boolean(params.branch)) {
      throw new CallError('invalid_request', 'give exactly one of path and branch; nothing was done');
    }
    const source = await sourceOf(call, params, 'worktree_list_failed');
    requireMain(source);
    const { repository } = source;
    const path = params.path ? absolute(session, params.path, 'path') : undefined;
    const found = repository.checkouts.filter(
      (checkout) =>
        !checkout.isBare && (path === undefined ? checkout.branch === params.branch : checkout.path === path),
    );
    const [checkout] = found;
    if (!checkout) {
      throw new CallError(
        'worktree_not_found',
        `${repository.root} has no worktree ${path ?? `on branch ${params.branch}`}`,
      );
    }
    if (found.length > 1) {
      throw new CallError('ambiguous_worktree_branch', `several worktrees are on branch ${params.branch}; give a path`);
    }
    const already = openOn(session, checkout.path);
    if (already && params.focus) focusWorkspace(session, already);
    const { workspace, answer } = already
      ? { workspace: already, answer: opened(session, already) }
      : openCheckout(call, repository, checkout, params);
    const worktree = worktreeInfo(session, repository, checkout);
    const already_open = already !== undefined;
    session.ports.ring.append({
      event: 'worktree_opened',
      data: { type: 'worktree_opened', workspace: workspaceInfo(session, workspace), worktree, already_open },
    });
    return { type: 'worktree_opened', ...answer, worktree, already_open };
  },
  'worktree.remove': async ({ workspace_id, force = false }, call) => {
    const { session } = call;
    const workspace = workspaceNamed(session, workspace_id);
    const { repository } = await sourceOf(call, { workspace_id }, 'worktree_remove_failed');
    const checkout = repository.checkouts.find((candidate) => candidate.path === repository.checkout);
    if (!checkout?.isLinked) {
      throw new CallError('not_linked_worktree', `${workspace_id} is not on a linked worktree; nothing was removed`);
    }
    return alone(repository, async () => {
      const worktree = worktreeInfo(session, repository, checkout);
      const last = workspaceInfo(session, workspace);
      if (force) {
        closeWorkspace(session, workspace);
        await Promise.all(session.endings);
      }
      const flags = force ? ['--force'] : [];
      const outcome = await call.git(repository.root, ['worktree', 'remove', ...flags, '--', checkout.path]);
      if (!outcome.ok && /modified or untracked files|is dirty/i.test(outcome.stderr)) {
        throw new CallError(
          'dirty_worktree_requires_force',
          `${checkout.path} holds changes that are in no commit; nothing was removed`,
        );
      }
      succeeded(outcome, 'worktree_remove_failed');
      if (session.workspaces.includes(workspace)) closeWorkspace(session, workspace);
      session.ports.ring.append({
        event: 'worktree_removed',
        data: { type: 'worktree_removed', workspace_id, workspace: last, worktree, forced: force },
      });
      return { type: 'worktree_removed' as const, workspace_id, path: checkout.path, forced: force };
    });
  },
};
