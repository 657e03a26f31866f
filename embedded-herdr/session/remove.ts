import { layoutInfo, workspaceInfo } from './describe.ts';
import { focusPane, focusTab, focusWorkspace } from './focus.ts';
import { leaves, withoutPane } from './layout.ts';
import type { Pane, Tab, Workspace } from './model.ts';
import { panesOf, type Session, tabOf, workspaceOf } from './session.ts';

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
