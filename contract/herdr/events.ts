import type {
  AgentStatus,
  PaneInfo,
  PaneLayoutSnapshot,
  PaneReadResult,
  PaneScrollInfo,
  TabInfo,
  WorkspaceInfo,
  WorktreeInfo,
} from './objects.ts';
import type { LifecycleSubscription } from './params.ts';

/** Fields of each lifecycle event beside `type`. Source: reference/herdr-protocol.md 4.3. */
export interface LifecycleData {
  workspace_created: { workspace: WorkspaceInfo };
  workspace_updated: { workspace: WorkspaceInfo };
  workspace_metadata_updated: { workspace: WorkspaceInfo };
  workspace_closed: { workspace_id: string; workspace?: WorkspaceInfo };
  workspace_renamed: { workspace_id: string; label: string };
  workspace_moved: { workspace_id: string; insert_index: number; workspaces: WorkspaceInfo[] };
  workspace_reordered: { workspace_ids: string[]; before_workspace_id?: string; workspaces: WorkspaceInfo[] };
  workspace_focused: { workspace_id: string };
  worktree_created: { workspace: WorkspaceInfo; worktree: WorktreeInfo };
  worktree_opened: { workspace: WorkspaceInfo; worktree: WorktreeInfo; already_open: boolean };
  worktree_removed: { workspace_id: string; workspace?: WorkspaceInfo; worktree: WorktreeInfo; forced: boolean };
  tab_created: { tab: TabInfo };
  tab_closed: { tab_id: string; workspace_id: string };
  tab_focused: { tab_id: string; workspace_id: string };
  tab_renamed: { tab_id: string; workspace_id: string; label: string };
  tab_moved: { tab_id: string; workspace_id: string; insert_index: number; tabs: TabInfo[] };
  pane_created: { pane: PaneInfo };
  pane_updated: { pane: PaneInfo };
  pane_closed: { pane_id: string; workspace_id: string };
  pane_focused: { pane_id: string; workspace_id: string };
  pane_exited: { pane_id: string; workspace_id: string };
  pane_moved: {
    previous_pane_id: string;
    previous_workspace_id: string;
    previous_tab_id: string;
    pane: PaneInfo;
    created_workspace?: WorkspaceInfo;
    created_tab?: TabInfo;
    closed_workspace_id?: string;
    closed_tab_id?: string;
  };
  pane_agent_detected: {
    pane_id: string;
    workspace_id: string;
    agent?: string;
    released?: boolean;
    final_status?: AgentStatus;
  };
  layout_updated: { layout: PaneLayoutSnapshot };
}
export type LifecycleEventName = keyof LifecycleData;

/** `pane.agent_status_changed` without `data.type`; also the body of the one kind that `events.wait` knows. */
export interface AgentStatusChange {
  pane_id: string;
  workspace_id: string;
  agent_status: AgentStatus;
  agent?: string;
  title?: string;
  display_agent?: string;
  state_labels?: Record<string, string>;
}

/** A pushed lifecycle line: underscores, and the name repeated as `data.type`. */
export type LifecycleEvent = {
  [N in LifecycleEventName]: { event: N; data: { type: N } & LifecycleData[N] };
}[LifecycleEventName];

/** A pushed per-pane line: dots, and no `data.type`. */
export type PaneEvent =
  | { event: 'pane.agent_status_changed'; data: AgentStatusChange }
  | { event: 'pane.output_matched'; data: { pane_id: string; matched_line: string; read: PaneReadResult } }
  | { event: 'pane.scroll_changed'; data: { pane_id: string; workspace_id: string; scroll: PaneScrollInfo } };

export type HerdrEvent =
  | LifecycleEvent
  | PaneEvent
  | {
      event: 'pane_agent_status_changed';
      data: { type: 'pane_agent_status_changed' } & AgentStatusChange;
    };

/** The wire name of a subscribed lifecycle type: one subscribes with dots and receives underscores. */
export function wireEventName(type: LifecycleSubscription): LifecycleEventName {
  return type.replace('.', '_') as LifecycleEventName;
}
