/** What a picture of Herdr shows of a task's agent. Pure. */
import type { HerdrView } from '../herdr/index.ts';
import { knownStatus } from '../herdr/index.ts';
import type { Sighting } from './lifecycle.ts';

export interface Whereabouts {
  serverKey: string;
  terminalId: string;
  paneId: string;
  agentKind: string | null;
}

/** Undefined while Herdr does not answer: then nothing is seen and no time runs out. */
export function sightingOf(task: Whereabouts, view: HerdrView): Sighting | undefined {
  const at = view.observedAtMs;
  if (view.state !== 'live' || at === undefined || !view.server) return undefined;
  if (view.server.key !== task.serverKey) return { kind: 'other_server', at };
  const agent = view.agents.find(({ terminal_id }) => terminal_id === task.terminalId);
  if (agent && (agent.agent ?? null) === task.agentKind) {
    return { kind: 'present', status: knownStatus(agent.agent_status), seq: agent.state_change_seq ?? null, at };
  }
  if (agent) return { kind: 'absent', absence: 'agent_replaced', at };
  if (view.panes.some(({ terminal_id }) => terminal_id === task.terminalId)) {
    return { kind: 'absent', absence: 'agent_exited', at };
  }
  const samePane = view.panes.some(({ pane_id }) => pane_id === task.paneId);
  return { kind: 'absent', absence: samePane ? 'terminal_replaced' : 'pane_closed', at };
}
