/**
 * `herdr_mcp.cleanup.preview`: for each worktree and branch, what speaks against deleting it. Reads only. Advice, when it is
 * asked for, stands beside the reasons and changes none: `safe_to_delete` follows from evidence alone.
 */
import * as Type from 'typebox';
import { OutcomeError } from '../../contract/outcome.ts';
import type { EvaluateRequest } from '../../contract/semantic/index.ts';
import { verdictOf } from '../../contract/semantic/verdict.ts';
import { timeLimit } from '../../local/patience/index.ts';
import { type Gh, repositoryOf } from '../github/index.ts';
import type { Semantic } from '../semantic/index.ts';
import type { PlainMethod, ToolContext } from '../tools/index.ts';
import { ADVICE_MS, MARGIN_MS, SCORED_MAX } from './limits.ts';
import { branchFacts, git, hubFacts, parseWorktrees, targetOf, worktreeFacts } from './look.ts';
import { branchReasons, isFresh, verdict, worktreeReasons } from './reasons.ts';

const Params = Type.Object(
  {
    project_root: Type.String({ description: 'A Git root that herdr_inspect lists.', minLength: 1, maxLength: 4096 }),
    target_ref: Type.Optional(
      Type.String({ description: 'Default origin/main.', pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$' }),
    ),
    advisory: Type.Optional(Type.Boolean({ description: 'Also asks for advice about up to 32 items.' })),
  },
  { additionalProperties: false },
);

export function cleanupPreview(gh: Gh, semantic: Semantic): PlainMethod {
  return {
    access: 'read',
    description: 'Worktrees and branches with what speaks against deleting each; deletes, prunes and fetches nothing.',
    params: Params,
    run: (params, context) => preview(params, context, gh, semantic),
  };
}

async function preview(params: Record<string, unknown>, context: ToolContext, gh: Gh, semantic: Semantic) {
  const leftMs = Math.max(1, context.deadlineAtMs - context.nowMs() - MARGIN_MS);
  const signal = AbortSignal.any([context.signal, timeLimit(leftMs)]);
  const view = context.live.view();
  const root = await context.roots.exact(view, String(params.project_root));
  const listed =
    root.kind === 'git' ? await git(root.path, ['worktree', 'list', '--porcelain', '-z'], signal) : undefined;
  if (listed === undefined) {
    throw new OutcomeError('git_failed', `Git did not list the worktrees of ${root.path}. Nothing was changed.`, {
      next: 'Look with herdr_git status whether it is a checkout, then call again.',
    });
  }
  const worktrees = parseWorktrees(listed);
  const target = await targetOf(
    root.path,
    typeof params.target_ref === 'string' ? params.target_ref : 'origin/main',
    signal,
  );
  const [{ hub, reason }, trees, found] = await Promise.all([
    repositoryOf(root.path, signal).then(
      (repository): Promise<{ hub?: Parameters<typeof isFresh>[1]; reason?: string }> =>
        hubFacts(gh, repository, target.ref, signal),
    ),
    worktreeFacts(worktrees, root.path, target, view, signal),
    branchFacts(root.path, target, worktrees, signal),
  ]);
  const judgedTrees = trees.map((facts) => ({ ...facts, ...verdict(worktreeReasons(facts, target, hub)) }));
  const judgedBranches = (found?.branches ?? []).map((facts) => ({
    ...facts,
    ...verdict(branchReasons(facts, target, hub)),
  }));
  const answer = {
    read_only: true,
    project_root: root.path,
    target: { ...target, fresh: isFresh(target, hub) },
    github: hub ? { open_pull_requests: hub.openHeads.length } : { unavailable: reason ?? 'unknown' },
    worktrees: judgedTrees,
    branches: found ? judgedBranches : null,
    hidden: {
      worktrees: worktrees.length - trees.length,
      branches: found ? found.total - found.branches.length : null,
    },
  };
  if (params.advisory !== true) return answer;
  const items = [
    ...judgedTrees.map((one) => ({ item: `worktree ${one.path}`, reasons: one.reasons, branch: one.branch })),
    ...judgedBranches.map((one) => ({ item: `branch ${one.name}`, reasons: one.reasons, branch: one.name })),
  ].slice(0, SCORED_MAX);
  return { ...answer, advice: await advise(items, semantic, signal) };
}

interface Item {
  item: string;
  reasons: string[];
  branch: string | null;
}

/** How likely each item is left over. Beside the reasons, never instead of them. */
async function advise(items: readonly Item[], semantic: Semantic, signal: AbortSignal) {
  const request: EvaluateRequest = {
    state: JSON.stringify({ items: items.map((item, at) => ({ id: `item_${at}`, ...item })) }),
    questions: Object.fromEntries(
      items.map((_, at) => [`item_${at}`, { type: 'noul', question: `Is item_${at} left over from finished work?` }]),
    ),
  };
  const told =
    items.length === 0
      ? undefined
      : await semantic.evaluate(request, { boundary: 'cleanup', budgetMs: ADVICE_MS, signal });
  if (!told?.ok) return { used: false, reason: told?.reason ?? 'nothing_to_score', advisory_only: true };
  const scored = items.map(({ item }, at) => {
    const answer = told.answers[`item_${at}`];
    const likely = answer?.type === 'noul' ? answer.noul : null;
    return { item, left_over: likely, verdict: likely === null ? 'not_sure' : verdictOf(likely) };
  });
  return { used: true, advisory_only: true, provider: told.provider, model: told.model, items: scored };
}
