/**
 * The session: workspaces, tabs and panes, the one focus, and what their agents show. Functions change it and announce
 * the change; nothing here knows of sockets.
 */

export { createTab, createWorkspace, splitPaneOf } from './create.ts';
export {
  agentInfo,
  cwdOf,
  hostsAgent,
  layoutInfo,
  paneInfo,
  panesInOrder,
  snapshot,
  statusChange,
  statusOf,
  tabInfo,
  workspaceInfo,
} from './describe.ts';
export { IDENTITY, isSettableEnv } from './environment.ts';
export { focusPane, focusTab, focusWorkspace } from './focus.ts';
export { bijective32 } from './ids.ts';
export { arrange, type Layout, leaves, splitPane, withoutPane } from './layout.ts';
export type { Launch, Pane, Presentation, Tab, Workspace } from './model.ts';
export { advanceLaunch, agentTarget, applyStep, paneUpdated } from './occupant.ts';
export { CannotOpen } from './open.ts';
export { closeSession, closeTab, closeWorkspace, removePane } from './remove.ts';
export { restoreWorkspace, type WorkspaceToRestore } from './restore.ts';
export {
  emptySession,
  focusedPane,
  type Log,
  panesOf,
  type Session,
  type SessionPorts,
  type StatusMoment,
  tabOf,
  workspaceOf,
} from './session.ts';
