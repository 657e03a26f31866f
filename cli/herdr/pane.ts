/** Which pane a person means. Pure. */
import type { AgentInfo, PaneInfo, SessionSnapshot } from '../../contract/herdr/index.ts';
import { LocalError } from '../../local/error/index.ts';

export type Seen = Pick<SessionSnapshot, 'panes' | 'agents' | 'focused_pane_id'>;

/** By id, by an agent's name, or none named: the only one, else the focused one. Throws a `LocalError`; none is guessed. */
export function choosePane(seen: Seen, named: string | undefined): PaneInfo {
  const panes = seen.panes ?? [];
  const byId = (id: string | undefined) => panes.find((pane) => pane.pane_id === id);
  const found =
    named === undefined
      ? (byId(seen.focused_pane_id) ?? (panes.length === 1 ? panes[0] : undefined))
      : (byId(named) ?? byId(seen.agents?.find((agent) => agent.name === named)?.pane_id));
  if (found) return found;
  if (panes.length === 0) {
    throw new LocalError('no_pane', 'Herdr has no pane open.', 'herdr-mcp herdr open DIR opens one.');
  }
  const ids = panes.map((pane) => pane.pane_id).join(', ');
  throw new LocalError(
    'pane_not_found',
    named === undefined
      ? 'No pane is named and none has the focus.'
      : `${JSON.stringify(named)} is neither a pane nor an agent’s name.`,
    `Open are: ${ids}.`,
  );
}

/** The agent in a pane, as a person calls it. */
export function agentIn(pane: PaneInfo, agents: readonly AgentInfo[] | undefined): AgentInfo | undefined {
  return agents?.find((agent) => agent.pane_id === pane.pane_id);
}
