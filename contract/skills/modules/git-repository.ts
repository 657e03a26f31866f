import type { SkillModule } from '../module.ts';

export const gitRepository: SkillModule = {
  id: 'git-repository',
  title: 'Git as the source of truth',
  description: 'Status, diff, log, show and blame; worktrees and branches; integrating what an agent has done.',
  text: `# Git as the source of truth

- herdr_git reads status, diff, log, show and blame of one root and takes no lock. Git facts in herdr_inspect are hints with a time; herdr_git is the truth. "Show me the diff" is one call, not a task for an agent.
- Know the base before judging a change: which branch, which commit, what was dirty before the work began. A change that an agent describes and the diff does not show did not happen; one that the diff shows and nobody described is looked at first.
- A diff does not show files that Git does not track yet; status does. Both belong to every review.
- Writing Git is herdr_exec: commit, switch, merge, cherry-pick, push. One such step in one call, with an intent and an idempotency_key, and afterwards herdr_git to see that it is so.
- Work of an agent in a worktree of its own is integrated on purpose: read its log and diff, run its checks there, then cherry-pick or merge the commits that are wanted, then run the checks again where they landed. A conflict is read, not forced.
- Unfinished work of somebody else stays as it is: no reset, checkout, stash, clean or force push over changes that are not yours, and no rewriting of commits that others may have.
- herdr_mcp.github.status tells pull request and checks from the workstation's own gh; previous_fingerprint with wait_ms follows a running check without reading everything again.
- herdr_mcp.cleanup.preview says for each worktree and branch what speaks against deleting it. safe_to_delete is true only when nothing does; advice changes neither it nor who may delete. Deleting is a step of its own, one thing at a time, for what this work created or the person named.
- not_a_git_repo does not mean that a project is broken: a root without Git has no Git facts, not even clean ones.
`,
};
