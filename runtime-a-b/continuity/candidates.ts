/** How chains are shown to choose from: bounded, as evidence, never ranked by likeness. */

import type { Chain, Journal } from '../journal/index.ts';
import { beginning } from '../journal/index.ts';
import { partitionOfChain, partitionView } from '../memory/index.ts';
import { WORKSPACES_SHOWN } from './limits.ts';

export type RepoScope = 'exact' | 'legacy_unbound' | 'mismatch' | null;

export interface Candidate {
  continuity_id: string;
  title: string;
  project_id: string;
  provider: string;
  work_memory: { project_ref: string; repo_id: string; work_chain_id: string } | null;
  workspace_ids: string[];
  status: string;
  updated_at: number;
  turns: number;
  recent_user_excerpt: string | null;
  recent_assistant_excerpt: string | null;
  repo_scope: RepoScope;
  match_reasons: string[];
}

export function candidate(
  journal: Journal,
  chain: Chain,
  match: { reasons: readonly string[]; repoScope: RepoScope } = { reasons: [], repoScope: null },
): Candidate {
  const partition = partitionOfChain(chain);
  const excerpt = (seq: number) => {
    const text = seq === 0 ? null : journal.entries.text(seq);
    return text === null ? null : beginning(text);
  };
  return {
    continuity_id: chain.continuityId,
    title: chain.title,
    project_id: chain.projectId,
    provider: chain.provider,
    work_memory: partition && partitionView(partition),
    workspace_ids: workspacesOf(journal, chain.chainNo),
    status: chain.status,
    updated_at: chain.updatedAt,
    turns: chain.turnCount,
    recent_user_excerpt: excerpt(chain.lastUserSeq),
    recent_assistant_excerpt: excerpt(chain.lastAssistantSeq),
    repo_scope: match.repoScope,
    match_reasons: [...match.reasons],
  };
}

/** Workspaces that the chain's conversations are bound to now, newest binding first. */
export function workspacesOf(journal: Journal, chainNo: number): string[] {
  const ids = journal.bindings
    .ofChain(chainNo, WORKSPACES_SHOWN * 4)
    .filter((binding) => binding.retiredAt === null && binding.workspaceId !== '')
    .map((binding) => binding.workspaceId);
  return [...new Set(ids)].slice(0, WORKSPACES_SHOWN);
}
