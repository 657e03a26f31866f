/** What the parent does about a task: one sentence, from what is known and from advice where there is some. Pure. */
import { type AttentionState, isTerminal, type Lifecycle } from '../../contract/extension/tasks.ts';

const BY_LIFECYCLE: Record<Lifecycle, string> = {
  awaiting_activity: 'Accepted, no activity seen yet: go on with other work; do not send it again.',
  awaiting_prior_settle: 'The agent is still at its earlier turn: go on with other work; do not send it again.',
  running: 'It works: go on with other work.',
  completed:
    'It settled after it had worked, which is no proof of success: read herdr_git status and diff of its root and run the checks.',
  blocked:
    'It asks for a decision: read the question (herdr_call pane.read); a person decides, or agent.send_keys answers.',
  failed:
    'The agent left: read the evidence, herdr_git status of its root and herdr_inspect before anything is begun anew.',
  delivery_uncertain:
    'What became of its turn is not known: look at the pane (herdr_call pane.read) and herdr_git; do not send it again unseen.',
};

/** Advice never changes a task; it only says where to look first. `unclear` says no more than the lifecycle does. */
const BY_ATTENTION: Record<Exclude<AttentionState, 'unclear'>, string> = {
  verify_completion:
    'Verify by deterministic checks: herdr_call herdr_mcp.validation.advise with this task_id gives what changed since the dispatch and the checks; run all of them.',
  continue_unobserved: 'Leave it running and look again when it settles.',
  needs_human: 'Look at its screen (herdr_call pane.read) for what it asks, and put that to the person.',
  blocked_external:
    'Look for what it waits for outside: its last rows, herdr_exec_read of its commands, the state of CI.',
  investigate_drift: 'Compare what it does with what it was told: its last rows and herdr_git diff of its root.',
};

/** What was seen of an ended task is never hidden behind a guess: there advice only adds where to look first. */
export function nextStep(lifecycle: Lifecycle, attention?: AttentionState): string {
  if (attention === undefined || attention === 'unclear') return BY_LIFECYCLE[lifecycle];
  if (!isTerminal(lifecycle)) return BY_ATTENTION[attention];
  if (attention === 'continue_unobserved') return BY_LIFECYCLE[lifecycle];
  if (lifecycle === 'completed' && attention === 'verify_completion') return BY_ATTENTION[attention];
  return `${BY_LIFECYCLE[lifecycle]} ${BY_ATTENTION[attention]}`;
}
