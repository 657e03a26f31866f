/** What the state of an agent proves about the turn that a prompt should have begun. Pure. */
import type { AgentInfo, AgentStatus } from '../../../contract/herdr/index.ts';
import { knownStatus } from '../../herdr/index.ts';

/** An agent at one moment, as answers show it. */
export interface AgentState {
  agent_status: AgentStatus;
  state_change_seq: number | null;
}

export const stateOf = (agent: AgentInfo): AgentState => ({
  agent_status: knownStatus(agent.agent_status),
  state_change_seq: agent.state_change_seq ?? null,
});

/**
 * `seen`: a change after the prompt can only come from it. `not_seen`: nothing changed, which proves nothing about later.
 * `unverifiable`: the agent was busy before, so its changes may belong to the earlier turn.
 */
export type Start = 'seen' | 'not_seen' | 'unverifiable';

export function startOf(before: AgentState, after: AgentState): Start {
  if (before.agent_status === 'working' || before.agent_status === 'blocked') return 'unverifiable';
  if (after.agent_status === 'working' || after.agent_status === 'blocked') return 'seen';
  const moved =
    before.state_change_seq !== null &&
    after.state_change_seq !== null &&
    after.state_change_seq > before.state_change_seq;
  return moved ? 'seen' : 'not_seen';
}

/** Whether both are the same occupant of the same terminal: a pane can host another agent a second later. */
export function isSameAgent(a: AgentInfo, b: AgentInfo): boolean {
  return a.terminal_id === b.terminal_id && a.agent === b.agent;
}
