/** What a planner wants to see first: where the person is, where something works, where something changed. Pure. */
import type { AgentInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import { type HerdrView, knownStatus, type RingEvent } from '../../herdr/index.ts';

/** How much each status asks for attention; `idle` and `unknown` ask for none. */
const STATUS_WEIGHT: Readonly<Record<string, number>> = { blocked: 3, working: 2, done: 1 };

export interface Order {
  workspaces: WorkspaceInfo[];
  /** Pane ids: those with agents first, then those of the first workspaces. */
  panes: string[];
}

/** Sorts workspaces and panes by relevance; equal ones stay in Herdr's order. `changedAt` gives the last event by workspace. */
export function orderByRelevance(view: HerdrView, changedAt: ReadonlyMap<string, number>): Order {
  const weight = new Map<string, number>();
  for (const agent of view.agents) {
    const value = STATUS_WEIGHT[knownStatus(agent.agent_status)] ?? 0;
    weight.set(agent.workspace_id, Math.max(weight.get(agent.workspace_id) ?? 0, value));
  }
  const workspaces = view.workspaces
    .map((workspace, position) => ({ workspace, position, rank: rankOf(workspace, view, weight, changedAt) }))
    .sort((a, b) => compare(a.rank, b.rank) || a.position - b.position)
    .map(({ workspace }) => workspace);

  const place = new Map(workspaces.map((workspace, position) => [workspace.workspace_id, position]));
  const agentOf = new Map<string, AgentInfo>(view.agents.map((agent) => [agent.pane_id, agent]));
  const panes = view.panes
    .map((pane, position) => {
      const agent = agentOf.get(pane.pane_id);
      const status = agent ? 1 + (STATUS_WEIGHT[knownStatus(agent.agent_status)] ?? 0) : 0;
      const focused = pane.pane_id === view.focused.paneId ? 1 : 0;
      return { id: pane.pane_id, position, rank: [-focused, -status, place.get(pane.workspace_id) ?? 0] };
    })
    .sort((a, b) => compare(a.rank, b.rank) || a.position - b.position)
    .map(({ id }) => id);
  return { workspaces, panes };
}

function rankOf(
  workspace: WorkspaceInfo,
  view: HerdrView,
  weight: ReadonlyMap<string, number>,
  changedAt: ReadonlyMap<string, number>,
): number[] {
  const id = workspace.workspace_id;
  const focused = id === view.focused.workspaceId ? 1 : 0;
  return [-focused, -(weight.get(id) ?? 0), -(changedAt.get(id) ?? 0)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** When each workspace last had an event. */
export function lastChanges(events: readonly RingEvent[]): Map<string, number> {
  const changed = new Map<string, number>();
  for (const { at, change } of events) if (change.workspace_id !== undefined) changed.set(change.workspace_id, at);
  return changed;
}
