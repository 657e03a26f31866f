import type { Pane, Tab, Workspace } from './model.ts';
import { markSeen } from './occupant.ts';
import { panesOf, type Session, tabOf, workspaceOf } from './session.ts';

/**
 * Moves the one focus that all people and programs share: the workspace becomes active, the tab becomes its active
 * one, the pane its focused one. What is shown then counts as seen. All three events come after the change.
 */
export function focusPane(session: Session, pane: Pane): void {
  const workspace = workspaceOf(session, pane.workspaceId);
  const tab = tabOf(session, pane.tabId);
  if (!workspace || !tab) return;
  session.activeWorkspace = workspace.id;
  workspace.activeTab = tab.id;
  tab.focusedPane = pane.id;
  markSeen(session, panesOf(session, tab));
  const { ring } = session.ports;
  const workspace_id = workspace.id;
  ring.append({ event: 'workspace_focused', data: { type: 'workspace_focused', workspace_id } });
  ring.append({ event: 'tab_focused', data: { type: 'tab_focused', tab_id: tab.id, workspace_id } });
  ring.append({ event: 'pane_focused', data: { type: 'pane_focused', pane_id: pane.id, workspace_id } });
}

export function focusTab(session: Session, tab: Tab): void {
  const pane = session.panes.get(tab.focusedPane);
  if (pane) focusPane(session, pane);
}

export function focusWorkspace(session: Session, workspace: Workspace): void {
  const tab = workspace.tabs.find((candidate) => candidate.id === workspace.activeTab);
  if (tab) focusTab(session, tab);
}
