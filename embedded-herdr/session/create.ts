import type { SplitDirection } from '../../contract/herdr/index.ts';
import { layoutInfo, paneInfo, tabInfo, workspaceInfo } from './describe.ts';
import { focusPane } from './focus.ts';
import { tabId, workspaceId } from './ids.ts';
import { splitPane } from './layout.ts';
import type { Pane, Tab, Workspace } from './model.ts';
import { CannotOpen, openPane, type Place, startingCwd } from './open.ts';
import { type Session, tabOf, workspaceOf } from './session.ts';

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
