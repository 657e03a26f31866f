import type { AgentInfo, AgentStatus } from '../../contract/herdr/index.ts';
import { agentInfo, type Pane, type Session, type StatusMoment, statusOf } from '../session/index.ts';
import { CallError } from './call.ts';

/** Statuses that end a wait when the caller names none (3.8). */
export const SETTLED: readonly AgentStatus[] = ['idle', 'done', 'blocked'];

/** Ends once with the agent as it stood when a wanted status was reached, also one that was only passed through. */
export interface StatusWait {
  /** Looks at the status that stands now. */
  now(): AgentInfo | undefined;
  /** Gives the answer of a moment, or undefined to go on. Throws `agent_not_running` for an exit nobody wanted. */
  at(moment: StatusMoment): AgentInfo | undefined;
  /** Throws `agent_not_running` when the pinned agent is no longer the one in the pane. */
  stillThere(): void;
}

/**
 * A wait for a status of the agent that is in a pane now. Terminal, name and kind are pinned: replacement, closing and
 * moving end it. An exit counts with its final status. Source: reference/herdr-protocol.md 3.8 (`agent.wait`).
 */
export function statusWait(session: Session, pane: Pane, until: readonly AgentStatus[]): StatusWait {
  const pinned = { name: pane.name, agent: pane.track.agent };
  const lost = (why: string): CallError => new CallError('agent_not_running', `${pane.id}: ${why}`);
  return {
    now: () => (until.includes(statusOf(pane)) ? agentInfo(session, pane) : undefined),
    at(moment) {
      if (until.includes(moment.status)) {
        return { ...agentInfo(session, pane), agent_status: moment.status };
      }
      if (moment.exit) throw lost(`the agent ended as ${moment.status}, which was not waited for`);
      return undefined;
    },
    stillThere() {
      if (session.panes.get(pane.id) !== pane) throw lost('the pane was closed');
      if (pane.track.agent !== pinned.agent || pane.name !== pinned.name) throw lost('another agent is there now');
    },
  };
}
