/**
 * What Herdr answers: its objects as they stand on the wire. Optional fields are left out there, never null, and new
 * ones arrive with every release, so readers ignore what they do not know. Source: reference/herdr-protocol.md section 2.
 */

/** Every status a Herdr may show; `done` is an idle agent that finished while nobody was looking. */
export const AGENT_STATUSES = ['idle', 'working', 'blocked', 'done', 'unknown'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** What a hook may report about its agent. `done` is derived by the server and cannot be reported. */
export const AGENT_STATES = ['idle', 'working', 'blocked', 'unknown'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

export const READ_SOURCES = ['visible', 'recent', 'recent_unwrapped', 'detection'] as const;
export type ReadSource = (typeof READ_SOURCES)[number];

export const READ_FORMATS = ['text', 'ansi'] as const;
export type ReadFormat = (typeof READ_FORMATS)[number];

export const SPLIT_DIRECTIONS = ['right', 'down'] as const;
export type SplitDirection = (typeof SPLIT_DIRECTIONS)[number];

export interface ServerCapabilities {
  live_handoff: boolean;
  detached_server_daemon?: boolean;
}

export interface Pong {
  version: string;
  protocol: number;
  capabilities?: ServerCapabilities | null;
}

export interface WorkspaceWorktreeInfo {
  repo_key: string;
  repo_name: string;
  repo_root: string;
  checkout_path: string;
  is_linked_worktree: boolean;
}

export interface WorkspaceInfo {
  workspace_id: string;
  /** 1-based position in the list: it changes on reorder. */
  number: number;
  label: string;
  focused: boolean;
  pane_count: number;
  tab_count: number;
  active_tab_id: string;
  agent_status: AgentStatus;
  tokens?: Record<string, string>;
  worktree?: WorkspaceWorktreeInfo;
}

export interface TabInfo {
  tab_id: string;
  workspace_id: string;
  /** The stable number inside the id, not the position. */
  number: number;
  label: string;
  focused: boolean;
  pane_count: number;
  agent_status: AgentStatus;
}

export interface PaneScrollInfo {
  offset_from_bottom: number;
  max_offset_from_bottom: number;
  viewport_rows: number;
}

export interface AgentSessionInfo {
  source: string;
  agent: string;
  kind: 'id' | 'path';
  value: string;
}

/** What a pane and the agent in it have in common. */
export interface PaneCommon {
  pane_id: string;
  terminal_id: string;
  workspace_id: string;
  tab_id: string;
  focused: boolean;
  agent_status: AgentStatus;
  /** Counts stripped-title and token changes; it does not move with output. */
  revision: number;
  cwd?: string;
  foreground_cwd?: string;
  agent?: string;
  title?: string;
  display_agent?: string;
  terminal_title?: string;
  terminal_title_stripped?: string;
  state_labels?: Record<string, string>;
  tokens?: Record<string, string>;
  agent_session?: AgentSessionInfo;
}

export interface PaneInfo extends PaneCommon {
  label?: string;
  scroll?: PaneScrollInfo;
}

export interface AgentInfo extends PaneCommon {
  name?: string;
  /** Absent below 0.7.5. */
  state_change_seq?: number;
  screen_detection_skipped?: boolean;
  launch_pending?: boolean;
  interactive_ready?: boolean;
}

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PaneLayoutSnapshot {
  workspace_id: string;
  tab_id: string;
  zoomed: boolean;
  area: Rect;
  focused_pane_id: string;
  panes: { pane_id: string; focused: boolean; rect: Rect }[];
  splits: { id: string; direction: SplitDirection; ratio: number; rect: Rect }[];
}

export interface WorktreeInfo {
  path: string;
  branch?: string;
  is_bare: boolean;
  is_detached: boolean;
  is_prunable: boolean;
  is_linked_worktree: boolean;
  open_workspace_id?: string;
  label: string;
}

export interface WorktreeSourceInfo {
  repo_key: string;
  repo_name: string;
  repo_root: string;
  source_checkout_path: string;
  source_workspace_id?: string;
}

export interface ForegroundProcess {
  pid: number;
  name: string;
  argv0?: string;
  argv?: string[];
  cmdline?: string;
  cwd?: string;
}

export interface PaneProcessInfo {
  pane_id: string;
  shell_pid?: number;
  foreground_process_group_id?: number;
  tty?: string;
  foreground_processes?: ForegroundProcess[];
}

export interface PaneReadResult {
  pane_id: string;
  workspace_id: string;
  tab_id: string;
  source: ReadSource;
  format: ReadFormat;
  text: string;
  /** Always 0: there is no cheap "has it changed" test. */
  revision: number;
  truncated: boolean;
}

export interface SessionSnapshot {
  version: string;
  protocol: number;
  focused_workspace_id?: string;
  focused_tab_id?: string;
  focused_pane_id?: string;
  workspaces: WorkspaceInfo[];
  tabs: TabInfo[];
  panes: PaneInfo[];
  layouts: PaneLayoutSnapshot[];
  agents: AgentInfo[];
}
