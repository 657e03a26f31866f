/** Prompting agents. */
import type { ToolHandler } from '../context.ts';
import { OwnPrompts } from './own-prompts.ts';
import { PaneQueue } from './pane-queue.ts';
import { promptAgent, promptRequest } from './prompt.ts';

/** One handler for both doors to an agent, so that both wait for the same pane: `herdr_prompt` and `agent.prompt`. */
export function promptTool(): ToolHandler {
  const panes = { queue: new PaneQueue(), own: new OwnPrompts() };
  return (args, context) => promptAgent(promptRequest(args), context, panes);
}
