/**
 * What speaks against deleting a worktree or a branch. Pure. Evidence that is missing speaks against it too: only an empty
 * list makes something safe to delete, and nothing that a model says changes a list.
 */

export interface WorktreeFacts {
  path: string;
  head: string | null;
  branch: string | null;
  primary: boolean;
  bare: boolean;
  locked: boolean;
  prunable: boolean;
  /** Undefined when Git did not say. */
  dirty: boolean | undefined;
  reachable: boolean | undefined;
  /** Undefined when Herdr does not confirm now what is open. */
  workspaces: readonly string[] | undefined;
  agents: readonly string[] | undefined;
}

export interface BranchFacts {
  name: string;
  commit: string;
  isTarget: boolean;
  reachable: boolean | undefined;
  checkedOutIn: string | null;
}

/** What GitHub says; undefined when it could not be asked. */
export interface HubFacts {
  /** The target's commit there; null when it has no such branch. */
  targetCommit: string | null;
  /** Head branches of open pull requests. */
  openHeads: readonly string[];
}

/** The local target: its commit, and the branch name that it has on GitHub. */
export interface TargetFacts {
  ref: string;
  commit: string | null;
}

export const isFresh = (target: TargetFacts, hub: HubFacts | undefined): boolean =>
  hub !== undefined && target.commit !== null && hub.targetCommit === target.commit;

export function worktreeReasons(facts: WorktreeFacts, target: TargetFacts, hub: HubFacts | undefined): string[] {
  return named([
    ['primary_worktree', facts.primary],
    ['bare_worktree', facts.bare],
    ['worktree_locked', facts.locked],
    ['worktree_prunable', facts.prunable],
    ['worktree_dirty', facts.dirty === true],
    ['worktree_status_unavailable', facts.dirty === undefined],
    ['not_reachable_from_target', facts.reachable === false],
    ['reachability_unavailable', facts.reachable === undefined],
    ['github_evidence_unavailable', hub === undefined],
    ['target_ref_not_fresh', hub !== undefined && !isFresh(target, hub)],
    ['open_pr_reference', facts.branch !== null && hub?.openHeads.includes(facts.branch) === true],
    ['resource_evidence_unavailable', facts.workspaces === undefined || facts.agents === undefined],
    ['workspace_present', (facts.workspaces?.length ?? 0) > 0],
    ['agent_present', (facts.agents?.length ?? 0) > 0],
  ]);
}

export function branchReasons(facts: BranchFacts, target: TargetFacts, hub: HubFacts | undefined): string[] {
  return named([
    ['target_branch', facts.isTarget],
    ['not_reachable_from_target', facts.reachable === false],
    ['reachability_unavailable', facts.reachable === undefined],
    ['github_evidence_unavailable', hub === undefined],
    ['remote_ref_not_fresh', hub !== undefined && !isFresh(target, hub)],
    ['open_pr_reference', hub?.openHeads.includes(facts.name) === true],
    ['checked_out_in_worktree', facts.checkedOutIn !== null],
  ]);
}

/** Reasons that are about who is there now, not about what would be lost. */
const LIVE: ReadonlySet<string> = new Set([
  'resource_evidence_unavailable',
  'workspace_present',
  'agent_present',
  'checked_out_in_worktree',
]);

export function verdict(reasons: readonly string[]): {
  safe_to_delete: boolean;
  content_safe: boolean;
  reasons: string[];
} {
  return {
    safe_to_delete: reasons.length === 0,
    content_safe: reasons.every((reason) => LIVE.has(reason)),
    reasons: [...reasons],
  };
}

const named = (reasons: readonly (readonly [string, boolean])[]): string[] =>
  reasons.filter(([, holds]) => holds).map(([name]) => name);
