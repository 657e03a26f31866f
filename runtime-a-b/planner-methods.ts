/** The methods of `herdr_call` that serve a planner beside the tools: advice, capabilities, skills, and facts about Git's remote side. */
import { adviceMethods } from './advice/index.ts';
import { type Capability, capabilityMethods } from './capability/index.ts';
import { cleanupPreview } from './cleanup/index.ts';
import { githubStatus, openGh } from './github/index.ts';
import type { Semantic } from './semantic/index.ts';
import { skillMethods } from './skills/index.ts';
import type { PlainMethod, ToolContext } from './tools/index.ts';

type Methods = Readonly<Record<string, PlainMethod>>;

export interface PlannerParts {
  semantic: Semantic;
  capability: Capability;
  tasks: Methods;
  /** The environment of the person's programs, for `gh` with its sign-in. */
  env: Readonly<Record<string, string | undefined>>;
}

export function plannerMethods(parts: PlannerParts): Methods {
  const { semantic, capability, tasks, env } = parts;
  const gh = openGh(env);
  return {
    ...adviceMethods({ semantic, capability, findTask: (id, context) => findTask(tasks, id, context) }),
    ...capabilityMethods(capability),
    ...skillMethods(),
    'herdr_mcp.github.status': githubStatus(gh),
    'herdr_mcp.cleanup.preview': cleanupPreview(gh, semantic),
  };
}

/** As the task's own method shows it: a task of another parent is refused there, and here with it. */
async function findTask(tasks: Methods, taskId: string, context: ToolContext) {
  const task = (await tasks['herdr_mcp.agent.task.status']?.run({ task_id: taskId }, context))?.task;
  if (!isTask(task)) return undefined;
  return { paneId: task.agent.pane_id, createdAtMs: task.created_at_ms };
}

function isTask(value: unknown): value is { agent: { pane_id: string }; created_at_ms: number } {
  if (typeof value !== 'object' || value === null) return false;
  const { agent, created_at_ms } = value as { agent?: { pane_id?: unknown }; created_at_ms?: unknown };
  return typeof agent?.pane_id === 'string' && typeof created_at_ms === 'number';
}
