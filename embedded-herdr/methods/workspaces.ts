import {
  CannotOpen,
  closeTab,
  closeWorkspace,
  createTab,
  createWorkspace,
  focusTab,
  focusWorkspace,
  isSettableEnv,
  paneInfo,
  tabInfo,
  workspaceInfo,
} from '../session/index.ts';
import { CallError, type Handlers, tabNamed, workspaceNamed, workspaceOrActive } from './call.ts';

/** Refuses variables that no process can be given. */
export function checkEnv(env: Record<string, string> | undefined): void {
  if (env && !isSettableEnv(env)) {
    throw new CallError(
      'invalid_env',
      'a name in env is empty or holds = or NUL, or a value holds NUL; nothing was opened',
    );
  }
}

/** Runs what opens panes; its refusal gets the code of the method that was called. */
export function opening<T>(
  code: 'workspace_create_failed' | 'tab_create_failed' | 'pane_split_failed' | 'worktree_open_failed',
  open: () => T,
): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof CannotOpen) throw new CallError(code, error.message);
    throw error;
  }
}

type Owned = 'workspace.list' | 'workspace.get' | 'workspace.create' | 'workspace.focus' | 'workspace.rename';
type OwnedTabs = 'tab.list' | 'tab.get' | 'tab.create' | 'tab.focus' | 'tab.rename' | 'tab.close';

export const workspaceMethods: Pick<Handlers, Owned | 'workspace.close' | OwnedTabs> = {
  'workspace.list': (_params, { session }) => ({
    type: 'workspace_list',
    workspaces: session.workspaces.map((workspace) => workspaceInfo(session, workspace)),
  }),
  'workspace.get': ({ workspace_id }, { session }) => ({
    type: 'workspace_info',
    workspace: workspaceInfo(session, workspaceNamed(session, workspace_id)),
  }),
  'workspace.create': ({ cwd, focus, label, env }, { session }) => {
    checkEnv(env);
    const place = { cwd: cwd ?? undefined, focus, label: label ?? undefined, env };
    const { workspace, tab, pane } = opening('workspace_create_failed', () => createWorkspace(session, place));
    return {
      type: 'workspace_created',
      workspace: workspaceInfo(session, workspace),
      tab: tabInfo(session, tab),
      root_pane: paneInfo(session, pane),
    };
  },
  'workspace.focus': ({ workspace_id }, { session }) => {
    const workspace = workspaceNamed(session, workspace_id);
    focusWorkspace(session, workspace);
    return { type: 'workspace_info', workspace: workspaceInfo(session, workspace) };
  },
  'workspace.rename': ({ workspace_id, label }, { session }) => {
    const workspace = workspaceNamed(session, workspace_id);
    workspace.label = label;
    session.ports.ring.append({
      event: 'workspace_renamed',
      data: { type: 'workspace_renamed', workspace_id, label },
    });
    return { type: 'workspace_info', workspace: workspaceInfo(session, workspace) };
  },
  'workspace.close': ({ workspace_id }, { session }) => {
    closeWorkspace(session, workspaceNamed(session, workspace_id));
    return { type: 'ok' };
  },
  'tab.list': ({ workspace_id }, { session }) => {
    const chosen =
      workspace_id === undefined || workspace_id === null
        ? session.workspaces
        : [workspaceNamed(session, workspace_id)];
    return {
      type: 'tab_list',
      tabs: chosen.flatMap((workspace) => workspace.tabs.map((tab) => tabInfo(session, tab))),
    };
  },
  'tab.get': ({ tab_id }, { session }) => ({ type: 'tab_info', tab: tabInfo(session, tabNamed(session, tab_id)) }),
  'tab.create': ({ workspace_id, cwd, focus, label, env }, { session }) => {
    checkEnv(env);
    const workspace = workspaceOrActive(session, workspace_id);
    const place = { cwd: cwd ?? undefined, focus, label: label ?? undefined, env };
    const { tab, pane } = opening('tab_create_failed', () => createTab(session, workspace, place));
    return { type: 'tab_created', tab: tabInfo(session, tab), root_pane: paneInfo(session, pane) };
  },
  'tab.focus': ({ tab_id }, { session }) => {
    const tab = tabNamed(session, tab_id);
    focusTab(session, tab);
    return { type: 'tab_info', tab: tabInfo(session, tab) };
  },
  'tab.rename': ({ tab_id, label }, { session }) => {
    const tab = tabNamed(session, tab_id);
    tab.label = label;
    session.ports.ring.append({
      event: 'tab_renamed',
      data: { type: 'tab_renamed', tab_id, workspace_id: tab.workspaceId, label },
    });
    return { type: 'tab_info', tab: tabInfo(session, tab) };
  },
  'tab.close': ({ tab_id }, { session }) => {
    closeTab(session, tabNamed(session, tab_id));
    return { type: 'ok' };
  },
};
