/** Starts the scripted agents of `agents/` the way in which a caller would. */
import type { AgentInfo, PaneInfo } from '../../../contract/herdr/index.ts';
import { Refused } from './caller.ts';
import { until } from './poll.ts';
import type { Herdr } from './server.ts';

/** Starts an agent in an idle shell; a shell that is not idle yet is tried again, as a caller has to. */
export async function startAgent(herdr: Herdr, pane: PaneInfo, name: string, kind = 'pi'): Promise<AgentInfo> {
  await until(`a start of ${kind}`, async () => {
    try {
      return await herdr.call('agent.start', { name, kind, pane_id: pane.pane_id });
    } catch (error) {
      if (error instanceof Refused && error.code === 'agent_pane_busy') return undefined;
      throw error;
    }
  });
  return until(`${name} ready`, async () => {
    const { agent } = await herdr.call('agent.get', { target: name });
    return agent.interactive_ready ? agent : undefined;
  });
}

/** The agent in a pane once it has a status. */
export const hasStatus = (herdr: Herdr, target: string, wanted: readonly string[]): Promise<AgentInfo> =>
  until(`${target} ${wanted.join(' or ')}`, async () => {
    const { agents } = await herdr.call('agent.list', {});
    const agent = agents.find((candidate) => candidate.pane_id === target || candidate.name === target);
    return agent && wanted.includes(agent.agent_status) ? agent : undefined;
  });
