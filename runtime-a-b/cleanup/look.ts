/** Looking at worktrees, branches, GitHub and Herdr. Never fetches, prunes or deletes. */

import type { Gh } from '../github/index.ts';
import type { HerdrView } from '../herdr/index.ts';
import { directoryOf } from '../herdr/index.ts';
import { isWithin, runGit } from '../roots/index.ts';
import { GIT_BYTES, GIT_MS, ITEMS_MAX, PARALLEL } from './limits.ts';
import type { BranchFacts, HubFacts, TargetFacts, WorktreeFacts } from './reasons.ts';

/** Text of a Git question, or undefined when Git did not answer wholly and in time. */
export async function git(root: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const result = await runGit(args, { cwd: root, timeoutMs: GIT_MS, maxBytes: GIT_BYTES, signal });
  return result.code === 0 && !result.truncated ? result.stdout.toString('utf8') : undefined;
}

export async function targetOf(root: string, ref: string, signal: AbortSignal): Promise<TargetFacts> {
  const commit = await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], signal);
  return { ref, commit: commit?.trim() || null };
}

export interface Listed {
  path: string;
  head: string | null;
  branch: string | null;
  bare: boolean;
  locked: boolean;
  prunable: boolean;
}

/** `git worktree list --porcelain -z`: records end with an empty line; the first is the main one. Pure. */
export function parseWorktrees(output: string): Listed[] {
  const list: Listed[] = [];
  for (const record of output.split('\0\0')) {
    const fields = record.split('\0').filter((field) => field !== '');
    const value = (key: string) => fields.find((field) => field.startsWith(`${key} `))?.slice(key.length + 1);
    const has = (key: string) => fields.some((field) => field === key || field.startsWith(`${key} `));
    const path = value('worktree');
    if (path === undefined) continue;
    list.push({
      path,
      head: value('HEAD') ?? null,
      branch: value('branch')?.replace(/^refs\/heads\//, '') ?? null,
      bare: has('bare'),
      locked: has('locked'),
      prunable: has('prunable'),
    });
  }
  return list;
}

export async function worktreeFacts(
  listed: readonly Listed[],
  root: string,
  target: TargetFacts,
  view: HerdrView,
  signal: AbortSignal,
): Promise<WorktreeFacts[]> {
  return each(listed.slice(0, ITEMS_MAX), async (one): Promise<WorktreeFacts> => {
    const status = one.bare || one.prunable ? undefined : await git(one.path, STATUS, signal);
    return {
      ...one,
      primary: one === listed[0],
      dirty: status === undefined ? (one.bare ? false : undefined) : status !== '',
      reachable: await isReachable(root, one.head, target, signal),
      ...presence(one.path, view),
    };
  });
}

const STATUS = ['status', '--porcelain=v1', '-z', '--untracked-files=normal'] as const;

/** Whether a commit is contained in the target; exit 1 is Git's no, everything else is no answer. */
async function isReachable(root: string, commit: string | null, target: TargetFacts, signal: AbortSignal) {
  if (commit === null || target.commit === null) return undefined;
  const result = await runGit(['merge-base', '--is-ancestor', commit, target.commit], {
    cwd: root,
    timeoutMs: GIT_MS,
    maxBytes: GIT_BYTES,
    signal,
  });
  return result.code === 0 ? true : result.code === 1 ? false : undefined;
}

/** Who is there. A picture that Herdr does not confirm now says nothing. */
function presence(path: string, view: HerdrView): Pick<WorktreeFacts, 'workspaces' | 'agents'> {
  if (view.state !== 'live') return { workspaces: undefined, agents: undefined };
  const inside = (directory: string | undefined) => directory !== undefined && isWithin(path, directory);
  const panes = view.panes.filter((pane) => inside(directoryOf(pane)));
  const own = view.workspaces.filter((workspace) => inside(workspace.worktree?.checkout_path));
  return {
    workspaces: [...new Set([...own, ...panes].map(({ workspace_id }) => workspace_id))],
    agents: view.agents.filter((agent) => inside(directoryOf(agent))).map(({ pane_id }) => pane_id),
  };
}

export async function branchFacts(
  root: string,
  target: TargetFacts,
  worktrees: readonly Listed[],
  signal: AbortSignal,
): Promise<{ branches: BranchFacts[]; total: number } | undefined> {
  const format = '--format=%(refname:short)%09%(objectname)';
  const all = await git(root, ['for-each-ref', format, 'refs/heads'], signal);
  if (all === undefined) return undefined;
  const merged =
    target.commit === null
      ? undefined
      : await git(
          root,
          ['for-each-ref', '--format=%(refname:short)', `--merged=${target.commit}`, 'refs/heads'],
          signal,
        );
  const reachable = merged === undefined ? undefined : new Set(merged.split('\n'));
  const lines = all.split('\n').filter((line) => line !== '');
  const branches = lines.slice(0, ITEMS_MAX).map((line): BranchFacts => {
    const [name = '', commit = ''] = line.split('\t');
    return {
      name,
      commit,
      isTarget: name === target.ref || target.ref.endsWith(`/${name}`),
      reachable: reachable?.has(name),
      checkedOutIn: worktrees.find(({ branch }) => branch === name)?.path ?? null,
    };
  });
  return { branches, total: lines.length };
}

/** The target's branch and the open pull requests as GitHub has them now; undefined when it could not be asked. */
export async function hubFacts(gh: Gh, repository: string | undefined, ref: string, signal: AbortSignal) {
  if (repository === undefined) return { reason: 'no_github_remote' };
  const branch = ref.replace(/^(?:refs\/remotes\/)?[^/]+\//, '');
  const [pulls, target] = await Promise.all([
    gh.get(`repos/${repository}/pulls?state=open&per_page=100`, signal),
    gh.get(`repos/${repository}/branches/${encodeURIComponent(branch)}`, signal),
  ]);
  if (!pulls.ok) return { reason: pulls.reason };
  if (!target.ok && target.reason !== 'http_404') return { reason: target.reason };
  if (!Array.isArray(pulls.value) || pulls.value.length >= 100) return { reason: 'too_many_open_pull_requests' };
  const openHeads = pulls.value.map((pull: { head?: { ref?: unknown } }) => String(pull?.head?.ref ?? ''));
  const commit = target.ok ? (target.value as { commit?: { sha?: unknown } }).commit?.sha : null;
  return { hub: { targetCommit: typeof commit === 'string' ? commit : null, openHeads } satisfies HubFacts };
}

/** Applies `act` to all, a few at a time, in order. */
async function each<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await act(items[at] as T);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}
