import { isAbsolute, join, normalize } from 'node:path';
import type { HerdrErrorCode, WorkspaceWorktreeInfo, WorktreeInfo } from '../../contract/herdr/index.ts';
import { type Checkout, isFolder, type Repository, repositoryAt } from '../git/index.ts';
import { cwdOf, panesOf, type Session, type Workspace, workspaceInfo } from '../session/index.ts';
import { type Call, CallError, workspaceOrActive } from './call.ts';

/** The directory of a workspace: its checkout, else where its first tab's lowest pane is. */
function directoryOf(session: Session, workspace: Workspace): string {
  if (workspace.worktree) return workspace.worktree.checkout_path;
  const first = workspace.tabs[0];
  const root = first && panesOf(session, first).sort((a, b) => a.number - b.number)[0];
  return root ? cwdOf(session, root) : session.ports.home;
}

/** An absolute path out of a parameter; a leading `~` is the home. */
export function absolute(session: Session, path: string, what: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(session.ports.home, path.slice(1)) : path;
  if (!isAbsolute(expanded)) {
    throw new CallError(
      'invalid_request',
      `${what} must be an absolute path, not ${JSON.stringify(path)}; nothing was done`,
    );
  }
  return normalize(expanded);
}

export interface Source {
  repository: Repository;
  workspace: Workspace | undefined;
}

/** The repository that a call means: of the workspace, of the directory, or of the active workspace. */
export async function sourceOf(
  call: Call,
  params: { workspace_id?: string | null; cwd?: string | null },
  failed: HerdrErrorCode,
): Promise<Source> {
  const { session } = call;
  if (params.workspace_id && params.cwd) {
    throw new CallError('invalid_request', 'give workspace_id or cwd, not both; nothing was done');
  }
  const workspace = params.cwd ? undefined : workspaceOrActive(session, params.workspace_id);
  const directory = workspace ? directoryOf(session, workspace) : absolute(session, params.cwd ?? '', 'cwd');
  if (!isFolder(directory)) throw new CallError('not_git_worktree', `${directory} is not a directory`);
  const found = await repositoryAt(call.git, directory);
  if (found.kind === 'none') throw new CallError('not_git_worktree', `${directory} lies in no Git repository`);
  if (found.kind === 'failed') throw new CallError(failed, found.why);
  return { repository: found.repository, workspace };
}

/** The workspace that is open on a checkout. */
export function openOn(session: Session, path: string): Workspace | undefined {
  return (
    session.workspaces.find((workspace) => workspace.worktree?.checkout_path === path) ??
    session.workspaces.find((workspace) => !workspace.worktree && directoryOf(session, workspace) === path)
  );
}

export function worktreeInfo(session: Session, repository: Repository, checkout: Checkout): WorktreeInfo {
  const open = openOn(session, checkout.path);
  return {
    path: checkout.path,
    ...(checkout.branch === undefined ? {} : { branch: checkout.branch }),
    is_bare: checkout.isBare,
    is_detached: checkout.isDetached,
    is_prunable: checkout.isPrunable,
    is_linked_worktree: checkout.isLinked,
    ...(open ? { open_workspace_id: open.id } : {}),
    label: repository.name,
  };
}

export const membership = (
  repository: Repository,
  checkout: Pick<Checkout, 'path' | 'isLinked'>,
): WorkspaceWorktreeInfo => ({
  repo_key: repository.key,
  repo_name: repository.name,
  repo_root: repository.root,
  checkout_path: checkout.path,
  is_linked_worktree: checkout.isLinked,
});

export function requireMain({ repository }: Source): void {
  if (repository.checkout !== repository.root) {
    throw new CallError(
      'linked_worktree_source',
      `${repository.checkout} is itself a linked worktree; start from ${repository.root}. Nothing was done.`,
    );
  }
}

/** Marks the main checkout's workspace as head of its family; says so only when that is new. */
export function tagMain(session: Session, repository: Repository): void {
  const main = openOn(session, repository.root);
  if (!main || main.worktree) return;
  main.worktree = membership(repository, { path: repository.root, isLinked: false });
  session.ports.ring.append({
    event: 'workspace_updated',
    data: { type: 'workspace_updated', workspace: workspaceInfo(session, main) },
  });
}
