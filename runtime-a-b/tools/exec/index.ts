/** The tools that run commands. The shell is a shell: it reaches everything that the workstation's user can. */
import type { ToolHandlers } from '../context.ts';
import { herdrExec, herdrExecStart } from './run.ts';
import { herdrExecKill, herdrExecRead } from './sessions.ts';

export const execTools: ToolHandlers = {
  herdr_exec: herdrExec,
  herdr_exec_start: herdrExecStart,
  herdr_exec_read: herdrExecRead,
  herdr_exec_kill: herdrExecKill,
};
