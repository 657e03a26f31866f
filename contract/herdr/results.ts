import type { HerdrEvent } from './events.ts';
import type {
  AgentInfo,
  PaneInfo,
  PaneLayoutSnapshot,
  PaneProcessInfo,
  PaneReadResult,
  Pong,
  SessionSnapshot,
  TabInfo,
  WorkspaceInfo,
  WorktreeInfo,
  WorktreeSourceInfo,
} from './objects.ts';
import type { HerdrMethod } from './params.ts';

type Ok = { type: 'ok' };
type WorkspaceAnswer = { type: 'workspace_info'; workspace: WorkspaceInfo };
type TabAnswer = { type: 'tab_info'; tab: TabInfo };
type PaneAnswer = { type: 'pane_info'; pane: PaneInfo };
type AgentAnswer = { type: 'agent_info'; agent: AgentInfo };
type ReadAnswer = { type: 'pane_read'; read: PaneReadResult };

/** What each method answers; `type` names the shape on the wire. Source: reference/herdr-protocol.md section 3. */
export interface HerdrResults extends Record<HerdrMethod, { type: string }> {
  ping: { type: 'pong' } & Pong;
  'server.stop': Ok;
  'session.snapshot': { type: 'session_snapshot'; snapshot: SessionSnapshot };
  'notification.show': {
    type: 'notification_show';
    shown: boolean;
    reason: 'shown' | 'disabled' | 'rate_limited' | 'no_foreground_client' | 'busy';
  };
  'workspace.list': { type: 'workspace_list'; workspaces: WorkspaceInfo[] };
  'workspace.get': WorkspaceAnswer;
  'workspace.create': { type: 'workspace_created'; workspace: WorkspaceInfo; tab: TabInfo; root_pane: PaneInfo };
  'workspace.focus': WorkspaceAnswer;
  'workspace.rename': WorkspaceAnswer;
  'workspace.close': Ok;
  'workspace.report_metadata': Ok;
  'worktree.list': { type: 'worktree_list'; source: WorktreeSourceInfo; worktrees: WorktreeInfo[] };
  'worktree.create': {
    type: 'worktree_created';
    workspace: WorkspaceInfo;
    tab: TabInfo;
    root_pane: PaneInfo;
    worktree: WorktreeInfo;
  };
  'worktree.open': {
    type: 'worktree_opened';
    workspace: WorkspaceInfo;
    tab: TabInfo;
    root_pane: PaneInfo;
    worktree: WorktreeInfo;
    already_open: boolean;
  };
  'worktree.remove': { type: 'worktree_removed'; workspace_id: string; path: string; forced: boolean };
  'tab.list': { type: 'tab_list'; tabs: TabInfo[] };
  'tab.get': TabAnswer;
  'tab.create': { type: 'tab_created'; tab: TabInfo; root_pane: PaneInfo };
  'tab.focus': TabAnswer;
  'tab.rename': TabAnswer;
  'tab.close': Ok;
  'pane.list': { type: 'pane_list'; panes: PaneInfo[] };
  'pane.get': PaneAnswer;
  'pane.current': { type: 'pane_current'; pane: PaneInfo };
  'pane.split': PaneAnswer;
  'pane.close': Ok;
  'pane.focus': PaneAnswer;
  'pane.rename': PaneAnswer;
  'pane.layout': { type: 'pane_layout'; layout: PaneLayoutSnapshot };
  'pane.process_info': { type: 'pane_process_info'; process_info: PaneProcessInfo };
  'pane.read': ReadAnswer;
  'pane.send_text': Ok;
  'pane.send_keys': Ok;
  'pane.send_input': Ok;
  'pane.wait_for_output': {
    type: 'output_matched';
    pane_id: string;
    revision: number;
    matched_line?: string;
    read: PaneReadResult;
  };
  'pane.report_agent': Ok;
  'pane.report_agent_session': Ok;
  'pane.report_metadata': Ok;
  'pane.clear_agent_authority': Ok;
  'pane.release_agent': Ok;
  'agent.list': { type: 'agent_list'; agents: AgentInfo[] };
  'agent.get': AgentAnswer;
  'agent.read': ReadAnswer;
  'agent.explain': { type: 'agent_explain'; explain: Record<string, unknown> };
  'agent.send_keys': Ok;
  'agent.rename': AgentAnswer;
  'agent.focus': AgentAnswer;
  'agent.start': { type: 'agent_started'; agent: AgentInfo; argv: string[] };
  'agent.prompt': { type: 'agent_prompted'; agent: AgentInfo };
  'agent.wait': AgentAnswer;
  'events.subscribe': { type: 'subscription_started' };
  'events.wait': { type: 'wait_matched'; event: HerdrEvent };
}
