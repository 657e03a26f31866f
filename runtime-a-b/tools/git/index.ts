/** The tool that asks Git. Everything that changes a repository goes through the shell, where a person can see it. */
import type { ToolHandlers } from '../context.ts';
import { herdrGit } from './git.ts';

export const gitTools: ToolHandlers = { herdr_git: herdrGit };
