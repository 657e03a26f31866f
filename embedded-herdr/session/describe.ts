import { basename } from 'node:path';
import type {
  AgentInfo,
  AgentStatus,
  AgentStatusChange,
  PaneCommon,
  PaneInfo,
  PaneLayoutSnapshot,
  SessionSnapshot,
  TabInfo,
  WorkspaceInfo,
} from '../../contract/herdr/index.ts';
import { screenSkipped } from '../agents/index.ts';
import { COLUMNS, ROWS } from '../limits.ts';
import { IDENTITY } from './environment.ts';
import { arrange, leaves } from './layout.ts';
import type { Pane, Tab, Workspace } from './model.ts';
import { focusedPane, panesOf, type Session, workspaceOf } from './session.ts';

/** The public status: an idle agent that finished unseen is done. */
export function statusOf(pane: Pane): AgentStatus {
  return pane.track.state === 'idle' && !pane.seen ? 'done' : pane.track.state;
}

const RANK: Readonly<Record<AgentStatus, number>> = { blocked: 4, done: 3, working: 2, idle: 1, unknown: 0 };

function rollup(panes: readonly Pane[]): AgentStatus {
  return panes.map(statusOf).reduce<AgentStatus>((top, next) => (RANK[next] > RANK[top] ? next : top), 'unknown');
}

/** Until a shell has printed anything its process may still be our own fork, on its way to the directory. */
const hasBegun = (pane: Pane): boolean => pane.terminal.outputSeq() > 0;

/** Where the shell is: what it reported, else its process's directory, else where it was started. */
export function cwdOf(session: Session, pane: Pane): string {
  if (!hasBegun(pane)) return pane.launchCwd;
  return pane.terminal.reportedCwd() ?? session.ports.processes.cwd(pane.terminal.pid) ?? pane.launchCwd;
}

/** Where the foreground is; a member that has gone elsewhere than the shell is preferred. */
export function foregroundCwdOf(session: Session, pane: Pane): string | undefined {
  if (!hasBegun(pane)) return pane.launchCwd;
  const { processes } = session.ports;
  const shellCwd = processes.cwd(pane.terminal.pid);
  const group = processes.foregroundGroup(pane.terminal.pid);
  if (group === undefined || group === pane.terminal.pid) return shellCwd;
  const leader = processes.cwd(group);
  if (leader !== undefined && leader !== shellCwd) return leader;
  const agent = pane.track.process ? processes.cwd(pane.track.process.pid) : undefined;
  return agent ?? leader ?? shellCwd;
}

const some = (record: Record<string, string>): boolean => Object.keys(record).length > 0;

function common(session: Session, pane: Pane): PaneCommon {
  const { presentation, terminal, track } = pane;
  const foreground = foregroundCwdOf(session, pane);
  const title = terminal.title();
  return {
    pane_id: pane.id,
    terminal_id: pane.terminalId,
    workspace_id: pane.workspaceId,
    tab_id: pane.tabId,
    focused: focusedPane(session) === pane,
    cwd: cwdOf(session, pane),
    ...(foreground === undefined ? {} : { foreground_cwd: foreground }),
    ...(track.agent === undefined ? {} : { agent: track.agent }),
    ...(presentation.title === undefined ? {} : { title: presentation.title }),
    ...(presentation.displayAgent === undefined ? {} : { display_agent: presentation.displayAgent }),
    ...(title === '' ? {} : { terminal_title: title, terminal_title_stripped: pane.strippedTitle }),
    agent_status: statusOf(pane),
    ...(some(presentation.stateLabels) ? { state_labels: { ...presentation.stateLabels } } : {}),
    ...(some(presentation.tokens) ? { tokens: { ...presentation.tokens } } : {}),
    ...(track.session === undefined ? {} : { agent_session: track.session }),
    revision: pane.revision,
  };
}

export function paneInfo(session: Session, pane: Pane): PaneInfo {
  return {
    ...common(session, pane),
    ...(pane.label === undefined ? {} : { label: pane.label }),
    scroll: pane.terminal.scroll(),
  };
}

export function agentInfo(session: Session, pane: Pane): AgentInfo {
  return {
    ...common(session, pane),
    ...(pane.name === undefined ? {} : { name: pane.name }),
    state_change_seq: pane.stateChangeSeq,
    ...(screenSkipped(pane.track) ? { screen_detection_skipped: true } : {}),
    ...(pane.launch && !pane.launch.ready ? { launch_pending: true } : {}),
    ...(pane.launch?.ready ? { interactive_ready: true } : {}),
  };
}

export const hostsAgent = (pane: Pane): boolean => pane.track.agent !== undefined || pane.name !== undefined;

export function tabInfo(session: Session, tab: Tab): TabInfo {
  const workspace = workspaceOf(session, tab.workspaceId);
  const panes = panesOf(session, tab);
  return {
    tab_id: tab.id,
    workspace_id: tab.workspaceId,
    number: tab.number,
    label: tab.label ?? String((workspace?.tabs.indexOf(tab) ?? 0) + 1),
    focused: session.activeWorkspace === tab.workspaceId && workspace?.activeTab === tab.id,
    pane_count: panes.length,
    agent_status: rollup(panes),
  };
}

/** A workspace without a name is called after the checkout, else the directory, of its first tab's lowest pane. */
function derivedLabel(session: Session, workspace: Workspace): string {
  const first = workspace.tabs[0];
  const root = first && panesOf(session, first).sort((a, b) => a.number - b.number)[0];
  if (!root) return workspace.id;
  const cwd = cwdOf(session, root);
  if (cwd === session.ports.home) return '~';
  return basename(session.ports.checkoutOf(cwd) ?? cwd) || cwd;
}

export function workspaceInfo(session: Session, workspace: Workspace): WorkspaceInfo {
  const panes = [...session.panes.values()].filter((pane) => pane.workspaceId === workspace.id);
  return {
    workspace_id: workspace.id,
    number: session.workspaces.indexOf(workspace) + 1,
    label: workspace.label ?? derivedLabel(session, workspace),
    focused: session.activeWorkspace === workspace.id,
    pane_count: panes.length,
    tab_count: workspace.tabs.length,
    active_tab_id: workspace.activeTab,
    agent_status: rollup(panes),
    ...(some(workspace.tokens) ? { tokens: { ...workspace.tokens } } : {}),
    ...(workspace.worktree ? { worktree: workspace.worktree } : {}),
  };
}

/** Where the panes of a tab stand on a screen of 80×24: nobody is attached who has another. */
export function layoutInfo(tab: Tab): PaneLayoutSnapshot {
  const area = { x: 0, y: 0, width: COLUMNS, height: ROWS };
  const { panes, splits } = arrange(tab.layout, area);
  return {
    workspace_id: tab.workspaceId,
    tab_id: tab.id,
    zoomed: false,
    area,
    focused_pane_id: tab.focusedPane,
    panes: [...panes].map(([pane_id, rect]) => ({ pane_id, focused: pane_id === tab.focusedPane, rect })),
    splits,
  };
}

/** All panes in display order: by workspace, tab, and place in the layout. */
export function panesInOrder(session: Session): Pane[] {
  return session.workspaces.flatMap((workspace) =>
    workspace.tabs.flatMap((tab) => leaves(tab.layout).flatMap((id) => session.panes.get(id) ?? [])),
  );
}

export function statusChange(pane: Pane): AgentStatusChange {
  const { presentation, track } = pane;
  return {
    pane_id: pane.id,
    workspace_id: pane.workspaceId,
    agent_status: statusOf(pane),
    ...(track.agent === undefined ? {} : { agent: track.agent }),
    ...(presentation.title === undefined ? {} : { title: presentation.title }),
    ...(presentation.displayAgent === undefined ? {} : { display_agent: presentation.displayAgent }),
    ...(some(presentation.stateLabels) ? { state_labels: { ...presentation.stateLabels } } : {}),
  };
}

export function snapshot(session: Session): SessionSnapshot {
  const focused = focusedPane(session);
  const tabs = session.workspaces.flatMap((workspace) => workspace.tabs);
  const panes = panesInOrder(session);
  return {
    ...IDENTITY,
    ...(session.activeWorkspace === undefined ? {} : { focused_workspace_id: session.activeWorkspace }),
    ...(focused ? { focused_tab_id: focused.tabId, focused_pane_id: focused.id } : {}),
    workspaces: session.workspaces.map((workspace) => workspaceInfo(session, workspace)),
    tabs: tabs.map((tab) => tabInfo(session, tab)),
    panes: panes.map((pane) => paneInfo(session, pane)),
    layouts: tabs.map(layoutInfo),
    agents: panes.filter(hostsAgent).map((pane) => agentInfo(session, pane)),
  };
}
