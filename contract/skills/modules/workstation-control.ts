import type { SkillModule } from '../module.ts';

export const workstationControl: SkillModule = {
  id: 'workstation-control',
  title: 'Workstation control and earlier work',
  description:
    'Choosing the device, the project and the earlier work that is meant; reading live state; handing a conversation over.',
  text: `# Workstation control and earlier work

## Live state
- herdr_inspect lists workspaces, panes, agents and project roots, most relevant first. Keep the refs: a ref also names the workstation, so later calls reach the same machine. With several machines, name the device; none is chosen for you by likeness.
- A workspace is the unit of work: an implementing agent, a test run, a server and a reviewer may share one. Ids identify; labels and titles are for reading.
- herdr_since with the last cursor tells what changed. Another boot_id means that the runtime was replaced and counting began again; work that was dispatched before it goes on and is not dispatched anew.
- herdr_methods finds everything else that Herdr and this workstation can do; herdr_call does it. Methods that focus, zoom or swap move the screen of the person who sits there.
- A directory that no workspace or pane shows is not reachable. Opening a workspace there makes it one (workspace.create with cwd). A directory without Git can be read and commands run in it; files in it are not changed (operational_root_mutation_unsupported), and herdr_git does not serve it.
- When a snapshot fails, try narrower sources before concluding anything: workspace.list, pane.list, agent.list, herdr_git, the project's own files.

## Earlier work
- Search before you ask. At the first sign that earlier work is meant, call continuity.resolve with the conversation that you know (its address or id), then continuity.search with the project and workspace that you see. The person is not asked for internal ids.
- Resume by yourself only when the answer says so: exactly one active chain follows from a stable conversation, project or workspace (auto_resume_safe). A match of words alone needs the person's confirmation, also when there is only one candidate.
- Several candidates: show the person title, workspace, time of the last change and the recent turns, and let them choose. Neither the newest nor the most similar one is taken.
- With nothing but the address of an earlier conversation, call continuity.resume with it as conversation_url. continuity.search comes after that only when the answer is continuity_ambiguous. What was never recorded here cannot be read from an address.
- What comes back is history. Look again at Herdr, Git and the services concerned before the first change.
- Work Memory holds the state of a line of work: work_memory.resume gives the newest verified checkpoint with turns and evidence. Write one at natural boundaries with work_memory.checkpoint.put, on the revision that you read, anchored in turns or evidence that exist: goal, what is done, decisions and their reasons, what is open, the identifiers of workspace, path, branch, commit and task, constraints, the next step.

## Handing over
- Hand over at a natural boundary, with no agent working in the workspace and no delivery open. herdr_mcp.browser_handoff.prepare gives one message for the chain and its source address.
- Send what it returns unchanged, once, with its idempotency_key. The copy prompt is for the case that delivery certainly did not happen; while delivery is uncertain, look at that same dispatch.
- The new conversation begins with continuity.resume of the same id, looks at live state, and then works. The old one stays the valid one until the new one is confirmed.
`,
};
