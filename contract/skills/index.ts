/**
 * How a planner works with a workstation: a short text that always holds, and modules for each kind of work. Data only;
 * the runtime serves them through `herdr_skill` and `herdr_mcp.skill.*`, the edge as MCP prompts. No text of a skill
 * grants a permission: the gates decide.
 */
import type { SkillModule } from './module.ts';
import { agentDispatch } from './modules/agent-dispatch.ts';
import { developmentOrchestration } from './modules/development-orchestration.ts';
import { engineeringRobustness } from './modules/engineering-robustness.ts';
import { execution } from './modules/execution.ts';
import { filesMutation } from './modules/files-mutation.ts';
import { filesSearch } from './modules/files-search.ts';
import { gitRepository } from './modules/git-repository.ts';
import { workstationControl } from './modules/workstation-control.ts';

export { GLOBAL_POLICY } from './global.ts';
export type { SkillModule };

/** The eight modules, in the order in which work usually needs them. */
export const SKILL_MODULES: readonly SkillModule[] = [
  workstationControl,
  filesSearch,
  filesMutation,
  gitRepository,
  execution,
  agentDispatch,
  developmentOrchestration,
  engineeringRobustness,
];
