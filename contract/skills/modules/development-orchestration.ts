import type { SkillModule } from '../module.ts';

export const developmentOrchestration: SkillModule = {
  id: 'development-orchestration',
  title: 'Several lanes at once',
  description:
    'Splitting work into independent lanes with one owner each, reviewing across, and cleaning up afterwards.',
  text: `# Several lanes at once

- One lane is the default. Open more only when the pieces are independent: other files, other worktrees, no shared server, database or port. Shared state means one after the other.
- One owner for each file and each worktree at a time. A lane has a goal, a root or worktree, a branch from a known base, a worker, acceptance checks and a task_id; keep these in the checkpoint of the work, not in your head.
- You stay the only planner. A worker does not hire workers, choose priorities or merge its own work; when one starts to, narrow its task.
- Dispatch all lanes first, then do your own part; do not stand beside one of them. One look at the inbox serves all lanes; siblings that still run stay untouched.
- Integration is one lane's work at a time: read, check in its place, cherry-pick or merge, check again where it landed, then the next. The order follows dependencies, not the order of finishing.
- Review by somebody who did not write it: you, or a second worker with the diff and the criteria and without the first one's reasons. Findings are judged one by one; a review that found nothing is no test.
- After the checks, herdr_mcp.agent.closeout.advise may say whether a worker still has something to do; it comes after validation and replaces none of it.
- Drift: a worker that repeats itself, leaves its scope or edits another lane is interrupted, its diff read, what is good kept, and the rest given anew with a narrower task, to a fresh session when the old one is confused.
- Clean up what this work created and nothing else: panes, worktrees, branches, sessions. herdr_mcp.cleanup.preview shows what speaks against it.
- Destructive steps on production, on credentials, on shared branches and on money are a person's decision: prepare them, show them, ask.
- When context grows long, write a checkpoint and hand over at a boundary rather than in the middle of a change.
`,
};
