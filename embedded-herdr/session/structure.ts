import type { SplitDirection } from '../../contract/herdr/index.ts';
import { NO_AGENT } from '../agents/index.ts';
import { strippedTitle } from '../terminal/index.ts';
import { cwdOf, foregroundCwdOf, layoutInfo, paneInfo, tabInfo, workspaceInfo } from './describe.ts';
import { paneEnvironment } from './environment.ts';
import { focusPane, focusTab, focusWorkspace } from './focus.ts';
import { paneId, tabId, workspaceId } from './ids.ts';
import { leaves, splitPane, withoutPane } from './layout.ts';
import type { Pane, Tab, Workspace } from './model.ts';
import { paneUpdated } from './occupant.ts';
import { focusedPane, panesOf, type Session, tabOf, workspaceOf } from './session.ts';

export interface Place {
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  label?: string | undefined;
  focus?: boolean | undefined;
}

/** Why a pane could not be opened: it names the directory or what the system said. Nothing was created. */
export class CannotOpen extends Error {}

/** Where a new pane starts without being told: where the focus is, else at home. */
function startingCwd(session: Session, place: Place, beside: Pane | undefined): string {
  const from = beside ?? focusedPane(session);
  const cwd = place.cwd ?? (from && (foregroundCwdOf(session, from) ?? cwdOf(session, from))) ?? session.ports.home;
  if (!session.ports.isDirectory(cwd)) {
    throw new CannotOpen(`${cwd} is not a directory that can be entered; nothing was opened`);
  }
  return cwd;
}

interface NewPane {
  workspace: Workspace;
  tabId: string;
  number: number;
  cwd: string;
  env: Readonly<Record<string, string>>;
  label?: string | undefined;
}

function openPane(session: Session, spec: NewPane): Pane {
  const { ports } = session;
  const id = paneId(spec.workspace.id, spec.number);
  const env = paneEnvironment(ports.inheritedEnv, spec.env, {
    socketPath: ports.socketPath,
    binPath: ports.binPath,
    workspaceId: spec.workspace.id,
    tabId: spec.tabId,
    paneId: id,
  });
  const here = (): Pane | undefined => {
    const current = session.panes.get(id);
    return current === pane ? current : undefined;
  };
  let pane: Pane | undefined;
  let terminal: Pane['terminal'];
  try {
    terminal = ports.openTerminal(
      { file: ports.shell.file, args: ports.shell.args, cwd: spec.cwd, env },
      {
        onOutput: () => {
          const current = here();
          if (current) session.signals.output.emit(current);
        },
        onTitle: (title) => {
          const current = here();
          const stripped = strippedTitle(title);
          if (!current || current.strippedTitle === stripped) return;
          current.strippedTitle = stripped;
          current.revision += 1;
          paneUpdated(session, current);
        },
        onExit: (exit) => {
          ports.log.info({ pane: id, ...exit }, 'the shell of a pane has ended');
          const current = here();
          if (current) removePane(session, current, 'exited');
        },
      },
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CannotOpen(`${ports.shell.file} could not be started in ${spec.cwd}: ${why}`);
  }
  pane = {
    id,
    number: spec.number,
    workspaceId: spec.workspace.id,
    tabId: spec.tabId,
    terminalId: `term_${ports.randomHex()}`,
    launchCwd: spec.cwd,
    terminal,
    label: spec.label,
    track: NO_AGENT,
    name: undefined,
    launch: undefined,
    seen: true,
    stateChangeSeq: 0,
    revision: 0,
    strippedTitle: '',
    presentation: { title: undefined, displayAgent: undefined, stateLabels: {}, tokens: {} },
    sequences: new Map(),
    foreground: undefined,
  };
  session.panes.set(id, pane);
  spec.workspace.nextPane = Math.max(spec.workspace.nextPane, spec.number + 1);
  return pane;
}

function openTab(session: Session, workspace: Workspace, cwd: string, place: Place): { tab: Tab; pane: Pane } {
  const number = workspace.nextTab;
  const id = tabId(workspace.id, number);
  const pane = openPane(session, { workspace, tabId: id, number: workspace.nextPane, cwd, env: place.env ?? {} });
  const tab: Tab = {
    id,
    workspaceId: workspace.id,
    number,
    label: place.label,
    layout: { pane: pane.id },
    focusedPane: pane.id,
  };
  workspace.nextTab = number + 1;
  workspace.tabs.push(tab);
  return { tab, pane };
}

function announceTab(session: Session, tab: Tab, pane: Pane): void {
  const { ring } = session.ports;
  ring.append({ event: 'tab_created', data: { type: 'tab_created', tab: tabInfo(session, tab) } });
  ring.append({ event: 'pane_created', data: { type: 'pane_created', pane: paneInfo(session, pane) } });
  ring.append({ event: 'layout_updated', data: { type: 'layout_updated', layout: layoutInfo(tab) } });
}

/** Opens a workspace with one tab and one shell. Without an active workspace it becomes active, asked for or not. */
export function createWorkspace(
  session: Session,
  place: Place,
  worktree?: Workspace['worktree'],
): { workspace: Workspace; tab: Tab; pane: Pane } {
  const cwd = startingCwd(session, place, undefined);
  const number = session.nextWorkspace;
  const workspace: Workspace = {
    id: workspaceId(number),
    number,
    label: place.label,
    tabs: [],
    activeTab: '',
    nextTab: 1,
    nextPane: 1,
    tokens: {},
    tokenSequences: new Map(),
    worktree,
  };
  const { tab, pane } = openTab(session, workspace, cwd, { env: place.env });
  workspace.activeTab = tab.id;
  session.nextWorkspace = number + 1;
  session.workspaces.push(workspace);
  const takesFocus = place.focus === true || session.activeWorkspace === undefined;
  session.ports.ring.append({
    event: 'workspace_created',
    data: { type: 'workspace_created', workspace: workspaceInfo(session, workspace) },
  });
  announceTab(session, tab, pane);
  if (takesFocus) focusPane(session, pane);
  return { workspace, tab, pane };
}

/** Opens a tab with one shell. */
export function createTab(session: Session, workspace: Workspace, place: Place): { tab: Tab; pane: Pane } {
  const active = workspace.tabs.find((tab) => tab.id === workspace.activeTab);
  const cwd = startingCwd(session, place, active && session.panes.get(active.focusedPane));
  const opened = openTab(session, workspace, cwd, place);
  announceTab(session, opened.tab, opened.pane);
  if (place.focus) focusPane(session, opened.pane);
  return opened;
}

/** Divides a pane; the new one runs a shell of its own. */
export function splitPaneOf(
  session: Session,
  target: Pane,
  direction: SplitDirection,
  ratio: number,
  place: Place,
): Pane {
  const workspace = workspaceOf(session, target.workspaceId);
  const tab = tabOf(session, target.tabId);
  if (!workspace || !tab) throw new CannotOpen(`${target.id} has no tab any more; nothing was opened`);
  const cwd = startingCwd(session, place, target);
  const pane = openPane(session, {
    workspace,
    tabId: tab.id,
    number: workspace.nextPane,
    cwd,
    env: place.env ?? {},
  });
  tab.layout = splitPane(tab.layout, target.id, pane.id, direction, ratio);
  const { ring } = session.ports;
  ring.append({ event: 'pane_created', data: { type: 'pane_created', pane: paneInfo(session, pane) } });
  ring.append({ event: 'layout_updated', data: { type: 'layout_updated', layout: layoutInfo(tab) } });
  if (place.focus) focusPane(session, pane);
  return pane;
}

/** Takes panes out of the session and ends their processes. They are gone for every caller at once. */
function drop(session: Session, panes: readonly Pane[], endProcesses: boolean): void {
  for (const pane of panes) {
    session.panes.delete(pane.id);
    session.signals.gone.emit(pane);
    if (!endProcesses) continue;
    const ending: Promise<void> = session.ports
      .endSession(pane.terminal.pid)
      .catch((error: unknown) => session.ports.log.error({ pane: pane.id, error }, 'ending a pane failed'))
      .finally(() => session.endings.delete(ending));
    session.endings.add(ending);
  }
}

function refocus(session: Session, index: number): void {
  session.activeWorkspace = undefined;
  const next = session.workspaces[Math.min(index, session.workspaces.length - 1)];
  if (next) focusWorkspace(session, next);
}

function removeWorkspaceRecord(session: Session, workspace: Workspace): void {
  const index = session.workspaces.indexOf(workspace);
  if (index < 0) return;
  session.workspaces.splice(index, 1);
  if (session.activeWorkspace === workspace.id) refocus(session, index);
}

function removeTabRecord(session: Session, workspace: Workspace, tab: Tab): void {
  const index = workspace.tabs.indexOf(tab);
  if (index < 0) return;
  workspace.tabs.splice(index, 1);
  const next = workspace.tabs[Math.min(index, workspace.tabs.length - 1)];
  if (workspace.activeTab !== tab.id || !next) return;
  workspace.activeTab = next.id;
  if (session.activeWorkspace === workspace.id) focusTab(session, next);
}

/**
 * Takes one pane away, because it was closed or because its shell ended. A tab goes with its last pane and a workspace
 * with its last tab; unlike a real Herdr we say so, unless its gaps are to be imitated.
 */
export function removePane(session: Session, pane: Pane, why: 'closed' | 'exited'): void {
  const { ring, imitateGaps } = session.ports;
  const workspace = workspaceOf(session, pane.workspaceId);
  const tab = tabOf(session, pane.tabId);
  if (!workspace || !tab) return;
  const ids = { pane_id: pane.id, workspace_id: workspace.id };
  const lastWorkspaceState = workspaceInfo(session, workspace);
  drop(session, [pane], why === 'closed');
  ring.append(
    why === 'closed'
      ? { event: 'pane_closed', data: { type: 'pane_closed', ...ids } }
      : { event: 'pane_exited', data: { type: 'pane_exited', ...ids } },
  );
  const rest = withoutPane(tab.layout, pane.id);
  if (rest) {
    tab.layout = rest;
    ring.append({ event: 'layout_updated', data: { type: 'layout_updated', layout: layoutInfo(tab) } });
    const next = session.panes.get(leaves(rest)[0] ?? '');
    if (tab.focusedPane === pane.id && next) {
      tab.focusedPane = next.id;
      if (session.activeWorkspace === workspace.id && workspace.activeTab === tab.id) focusPane(session, next);
    }
    return;
  }
  const workspaceEnds = workspace.tabs.length === 1;
  if (!imitateGaps) {
    ring.append({ event: 'tab_closed', data: { type: 'tab_closed', tab_id: tab.id, workspace_id: workspace.id } });
  }
  if (workspaceEnds && (why === 'closed' || !imitateGaps)) {
    ring.append({
      event: 'workspace_closed',
      data: { type: 'workspace_closed', workspace_id: workspace.id, workspace: lastWorkspaceState },
    });
  }
  removeTabRecord(session, workspace, tab);
  if (workspaceEnds) removeWorkspaceRecord(session, workspace);
}

/** Closes a tab with everything in it; the workspace goes with its last tab. */
export function closeTab(session: Session, tab: Tab): void {
  const workspace = workspaceOf(session, tab.workspaceId);
  if (!workspace) return;
  const last = workspaceInfo(session, workspace);
  const workspaceEnds = workspace.tabs.length === 1;
  const { ring } = session.ports;
  drop(session, panesOf(session, tab), true);
  ring.append({ event: 'tab_closed', data: { type: 'tab_closed', tab_id: tab.id, workspace_id: workspace.id } });
  if (workspaceEnds) {
    ring.append({
      event: 'workspace_closed',
      data: { type: 'workspace_closed', workspace_id: workspace.id, workspace: last },
    });
  }
  removeTabRecord(session, workspace, tab);
  if (workspaceEnds) removeWorkspaceRecord(session, workspace);
}

/**
 * Closes a workspace and ends its processes. Closing the main checkout of a worktree family closes all its members, as
 * Herdr does; only the named one is announced by it, the others too by us.
 */
export function closeWorkspace(session: Session, workspace: Workspace): void {
  const family = workspace.worktree;
  const siblings =
    family && !family.is_linked_worktree
      ? session.workspaces.filter((other) => other !== workspace && other.worktree?.repo_key === family.repo_key)
      : [];
  for (const closing of [workspace, ...siblings]) {
    const last = workspaceInfo(session, closing);
    drop(
      session,
      closing.tabs.flatMap((tab) => panesOf(session, tab)),
      true,
    );
    if (closing === workspace || !session.ports.imitateGaps) {
      session.ports.ring.append({
        event: 'workspace_closed',
        data: { type: 'workspace_closed', workspace_id: closing.id, workspace: last },
      });
    }
    removeWorkspaceRecord(session, closing);
  }
}

/** Ends everything: every process of every pane, and waits until that is done. */
export async function closeSession(session: Session): Promise<void> {
  const panes = [...session.panes.values()];
  session.workspaces.length = 0;
  session.activeWorkspace = undefined;
  drop(session, panes, true);
  await Promise.all(session.endings);
}
