import type { SkillModule } from '../module.ts';

export const agentDispatch: SkillModule = {
  id: 'agent-dispatch',
  title: 'Giving work to agents',
  description: 'Choosing a worker by verified capabilities, submitting once, and reading the result from the inbox.',
  text: `# Giving work to agents

## Whether and whom
- Delegate one narrow task with its own acceptance criteria: an implementation apart from yours, a second look, a search that needs judgement. What a file, Git or shell tool answers is not delegated.
- A worker is chosen by what was verified, not by its name: a product's name says nothing about editing, vision, reasoning or model. herdr_inspect shows the compact capabilities; herdr-mcp scan on the workstation refreshes them. Verified workers first; unverified is neither yes nor no; unfit is what evidence speaks against.
- No candidate blocks nothing: do it yourself, start an agent that can be started, or try an unverified one with a small task. agent_not_found was not delivered and needs no person.
- herdr_mcp.planning.advise may order the candidates. You decide.
- Address by unique name or pane id; a kind is no address. An agent that a person is typing to is left alone (agent_input_not_empty). A blocked agent asks something: read its pane, answer what you may, leave permissions and choices to the person.

## Submitting
- herdr_prompt submits once and returns task_id, dispatch_id and turn_id at once; give an idempotency_key. Write the task so that it stands alone: goal, root and branch, what not to touch, how it is checked, what to report, and when to stop and ask.
- Then go on with other work, or end the turn. Do not wait for the agent's global state: one that was already working finishes its older turn first, and that settle is not yours. turn_id is our envelope; Herdr has no identity of native turns (exact_native_turn false).
- delivery_uncertain means that nothing was seen to begin: look at the pane. Sending again could do the work twice.

## Results
- herdr_call herdr_mcp.agent.task.inbox with advisory true is the one place to look: finished tasks of yours that nobody has acknowledged, with a next step where advice was to be had. It is complete without advice.
- verify_completion: read what changed and run the checks. continue_unobserved: leave it running. needs_human, blocked_external, investigate_drift: where to look next, nothing more.
- completed is a state of the agent, not of the work. blocked, failed and uncertain are work to diagnose: read the pane, the diff and the output, then decide.
- A wake tells you that something settled. Read live Herdr and Git, look at the agent's result and its diff, integrate finished isolated work by review and cherry-pick or merge where that is wanted, run that task's acceptance checks, and acknowledge with herdr_mcp.agent.task.ack what you have taken in.
- Siblings are independent: one that failed says nothing about one that runs.
`,
};
