import type { Sighting } from '../agents/index.ts';
import { recogniseAgent } from '../processes/index.ts';
import type { Pane, Session } from '../session/index.ts';

/** Who has the foreground of a pane, read now; undefined when the system does not say. */
export function probeForeground(session: Session, pane: Pane): Sighting | undefined {
  const { processes } = session.ports;
  const group = processes.foregroundGroup(pane.terminal.pid);
  return group === undefined ? undefined : readGroup(session, pane, group);
}

/** What a foreground group is: an agent if one of its processes is one, else the pane's shell, else something else. */
export function readGroup(session: Session, pane: Pane, group: number): Sighting {
  const agent = recogniseAgent(session.ports.processes.group(group));
  if (agent) return { kind: 'agent', ...agent };
  return { kind: group === pane.terminal.pid ? 'shell' : 'other' };
}
