import type { SkillModule } from '../module.ts';

export const execution: SkillModule = {
  id: 'execution',
  title: 'Running commands',
  description: 'Short and long commands, following their output, and what an exit code does and does not say.',
  text: `# Running commands

- The shell is a shell: it runs as the workstation's user and reaches everything that the user can. It is no sandbox, and the filters of the file tools do not stand before it. Run what the task needs.
- Short: herdr_exec waits for the command. Long (test suites, builds, servers): herdr_exec_start returns a session_id at once; herdr_exec_read from next_offset gives only what is new, and herdr_call herdr_mcp.exec.wait returns as soon as there is something. Running the tests is your call, not a task for an agent.
- A command that outlives its time goes on. exec_timeout names the session_id: follow that, do not start it a second time.
- Start once. Sessions and their output outlive your turn, a reconnect and a replaced runtime; keep the session_id and come back to it.
- Say with intent what a command does, and give anything that changes something an idempotency_key. steps runs programs with literal arguments, without quoting trouble.
- exit_code is the shell's: after a pipe it speaks of the last stage; pipe_exit_codes gives all of them where the shell can tell. Exit 0 of a command that printed nothing it should have printed is no success: read the output.
- output is what was printed, paged and not summarised. A count of passed tests comes from there and from nowhere else.
- delivery not_delivered: nothing ran, correct and repeat. delivery unknown or interrupted: look at processes, files or herdr_mcp.dispatch.status before anything is repeated.
- herdr_exec_kill stops what you started; the answer lists what survived. Processes of the person or of an agent are theirs.
- Commands in a protected folder run in a visible pane only; the refusal says how.
- Secrets stay out of commands and out of what you print.
`,
};
