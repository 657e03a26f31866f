/** Prompting agents. */
import type { ToolContext, ToolHandler } from '../context.ts';
import type { LocalMethod } from '../methods/index.ts';
import { Turns } from '../turns.ts';
import { OwnPrompts } from './own-prompts.ts';
import { promptAgent, promptRequest } from './prompt.ts';
import { DispatchParams, type NamedParent, registerFor, type TaskDoor } from './task.ts';

export type { TaskDoor } from './task.ts';

/** Who a wake is sent as: telling a parent of its tasks is no task itself. */
export const WAKE_PRINCIPAL = { kind: 'local', id: 'agent-tasks', label: 'end of agent tasks' } as const;

export interface PromptTools {
  /** One handler for both doors to an agent, so that both wait for the same pane: `herdr_prompt` and `agent.prompt`. */
  prompt: ToolHandler;
  /** `herdr_mcp.agent.task.dispatch`: the same, with who is told of the end. */
  dispatch: LocalMethod;
}

export function promptTools(door: TaskDoor): PromptTools {
  const panes = { turns: new Turns(), own: new OwnPrompts() };
  const send = async (args: Record<string, unknown>, named: NamedParent, context: ToolContext) => {
    const request = promptRequest(args);
    const isWake = context.principal.id === WAKE_PRINCIPAL.id && context.principal.kind === 'local';
    const register = isWake ? undefined : await registerFor(request.target, named, context, door);
    return promptAgent(request, context, panes, register);
  };
  return {
    prompt: (args, context) => send(args, {}, context),
    dispatch: {
      access: 'write',
      description:
        'Sends a prompt to an agent once and returns task_id and turn_id at once; the end comes to the inbox of the parent.',
      params: DispatchParams,
      run: (params, context) =>
        send(
          params,
          {
            ...(typeof params.parent_target === 'string' ? { parentTarget: params.parent_target } : {}),
            ...(typeof params.conversation_url === 'string' ? { conversationUrl: params.conversation_url } : {}),
          },
          context,
        ),
    },
  };
}
