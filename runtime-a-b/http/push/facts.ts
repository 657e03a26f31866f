/** What `/push/state` and `/push/events` say about Herdr's objects: shapes, and the pure way there. */
import {
  capabilitiesOf,
  type LINES_EVENT,
  type PushAgent,
  type PushPane,
  type PushWorkspace,
} from '../../../contract/control/index.ts';
import type { AgentInfo, AgentStatus, PaneInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import { directoryOf, knownStatus, targetRevision } from '../../herdr/index.ts';
import { TITLE_CHARS_MAX } from '../../limits.ts';

export interface PushEvent {
  type:
    | 'agent_working'
    | 'agent_settled'
    | 'agent_gone'
    | 'agent_task'
    | 'browser_actuation'
    | 'pane_upsert'
    | 'pane_removed'
    | 'workspace_upsert'
    | 'workspace_removed'
    | 'herdr_state'
    | typeof LINES_EVENT;
  /** What a filter looks at; absent for what concerns everybody. */
  workspace?: string;
  pane?: string;
  agent?: readonly string[];
  data: Record<string, unknown>;
}

/** The three answers to "does it work?". Unknown is neither of the others. */
export type Activity = 'working' | 'settled' | 'unknown';

export function activityOf(status: AgentStatus): Activity {
  if (status === 'working') return 'working';
  return status === 'unknown' ? 'unknown' : 'settled';
}

export function agentFact(agent: AgentInfo, times: { startedAt: number; activityAt: number }): PushAgent {
  const title = agent.terminal_title_stripped ?? agent.terminal_title;
  return {
    terminal_id: agent.terminal_id,
    name: agent.name ?? null,
    agent: agent.agent ?? null,
    pane: agent.pane_id,
    status: knownStatus(agent.agent_status),
    workspace: agent.workspace_id,
    cwd: directoryOf(agent) ?? null,
    started_at: times.startedAt,
    last_activity_at: times.activityAt,
    terminal_title: title === undefined ? null : title.slice(0, TITLE_CHARS_MAX),
    seq: agent.state_change_seq ?? null,
  };
}

export function workspaceFact(
  workspace: WorkspaceInfo,
  panes: readonly PaneInfo[],
  roots: readonly string[],
): PushWorkspace {
  const id = workspace.workspace_id;
  const own = panes.filter((pane) => pane.workspace_id === id).map((pane) => pane.pane_id);
  return { id, label: workspace.label, roots, panes: own };
}

/** Who says a revision: this runtime, about this Herdr. */
export interface Speaker {
  bootId: string;
  serverKey: string;
}

const TITLES = ['title', 'terminal_title', 'terminal_title_stripped'] as const;

/** `agent` is what was confirmed of the agent inside; without one Herdr's own word stands. Titles are as long as a row. */
export function paneFact(pane: PaneInfo, agent: PushAgent | undefined, { bootId, serverKey }: Speaker): PushPane {
  const { revision: _revision, scroll: _scroll, ...rest } = pane;
  const shown = { ...rest, agent_status: agent?.status ?? knownStatus(pane.agent_status) };
  for (const name of TITLES) {
    const title = shown[name];
    if (title !== undefined) shown[name] = title.slice(0, TITLE_CHARS_MAX);
  }
  return {
    ...shown,
    name: agent?.name ?? null,
    since: agent?.last_activity_at ?? null,
    target_revision: targetRevision(bootId, serverKey, pane),
    control_capabilities: capabilitiesOf(shown),
  };
}
