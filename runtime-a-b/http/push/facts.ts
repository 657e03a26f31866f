/** What `/push/state` and `/push/events` say about Herdr's objects: shapes, and the pure way there. */
import type { AgentInfo, AgentStatus, PaneInfo, WorkspaceInfo } from '../../../contract/herdr/index.ts';
import { directoryOf, type HerdrView, knownStatus } from '../../herdr/index.ts';
import { TITLE_CHARS_MAX } from '../../limits.ts';

export interface PushAgent {
  name: string | null;
  /** Its kind: `claude`, `pi`. */
  agent: string | null;
  pane: string;
  status: AgentStatus;
  workspace: string;
  cwd: string | null;
  /** When this runtime first saw it, in ms since 1970. */
  started_at: number;
  /** When its status last changed in the eyes of this runtime, in ms since 1970. */
  last_activity_at: number;
  terminal_title: string | null;
  /** Herdr's `state_change_seq`: it grows with every change of state, also with one that nobody saw. */
  seq: number | null;
}

export interface PushWorkspace {
  id: string;
  label: string;
  /** Project roots that are open in it, deepest first. */
  roots: readonly string[];
  panes: readonly string[];
}

/** A pane as Herdr gives it, without what moves by itself: its revision counter and its scroll position. */
export type PushPane = Omit<PaneInfo, 'revision' | 'scroll'>;

export interface HerdrState {
  state: HerdrView['state'];
  problem: string | null;
  /** Key of the Herdr server that the ids are of; null while none is known. Another server has other things under the same ids. */
  server: string | null;
}

export interface PushEvent {
  type:
    | 'agent_working'
    | 'agent_settled'
    | 'agent_gone'
    | 'agent_task'
    | 'pane_upsert'
    | 'pane_removed'
    | 'workspace_upsert'
    | 'workspace_removed'
    | 'herdr_state';
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

/** `status` is what was confirmed of the agent inside; without an agent Herdr's own word stands. */
export function paneFact(pane: PaneInfo, status: AgentStatus | undefined): PushPane {
  const { revision: _revision, scroll: _scroll, ...rest } = pane;
  return status === undefined ? rest : { ...rest, agent_status: status };
}
