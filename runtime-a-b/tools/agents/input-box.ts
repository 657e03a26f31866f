/** Looking at an agent's input box. */
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { HerdrFailure } from '../../herdr/index.ts';
import { HERDR_PING_MS } from '../../limits.ts';
import type { ToolContext } from '../context.ts';
import { type Composer, isSuggestion, readComposer } from './composer.ts';

/** What stands in the agent's input box. A screen that cannot be read or understood is unknown, and said so. */
export async function inputBox(agent: AgentInfo, context: ToolContext): Promise<Composer> {
  const plain = await screen(agent, 'detection', context);
  const box: Composer = plain === undefined ? { state: 'unknown' } : readComposer(plain);
  if (box.state !== 'draft') return box;
  const coloured = await screen(agent, 'visible', context);
  return coloured !== undefined && isSuggestion(box.text, coloured) ? { state: 'empty' } : box;
}

async function screen(
  agent: AgentInfo,
  source: 'detection' | 'visible',
  context: ToolContext,
): Promise<string | undefined> {
  try {
    const format = source === 'visible' ? 'ansi' : 'text';
    const { read } = await context.herdr.call(
      'pane.read',
      { pane_id: agent.pane_id, source, format },
      { timeoutMs: HERDR_PING_MS },
    );
    return read.text;
  } catch (error) {
    if (error instanceof HerdrFailure) return undefined;
    throw error;
  }
}
