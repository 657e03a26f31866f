import { RATIO_EVEN } from '../limits.ts';
import { paneId, tabId } from './ids.ts';
import { type Layout, splitPane } from './layout.ts';
import type { Pane, Tab, Workspace } from './model.ts';
import { CannotOpen, openPane } from './open.ts';
import type { Session } from './session.ts';

/** A workspace as it stood before a restart. */
export interface WorkspaceToRestore {
  id: string;
  number: number;
  label: string | undefined;
  nextTab: number;
  nextPane: number;
  activeTab: string;
  worktree: Workspace['worktree'] | undefined;
  tabs: readonly {
    number: number;
    label: string | undefined;
    focusedPane: string;
    panes: readonly { number: number; label: string | undefined; cwd: string }[];
    /** The kept layout, if it holds exactly these panes. */
    layoutFor(paneIds: readonly string[]): Layout | undefined;
  }[];
}

/** A kept layout that does not fit its panes is replaced by one that sets them side by side. */
const sideBySide = (panes: readonly Pane[]): Layout =>
  panes
    .slice(1)
    .reduce<Layout>((layout, pane, index) => splitPane(layout, panes[index]?.id ?? '', pane.id, 'right', RATIO_EVEN), {
      pane: panes[0]?.id ?? '',
    });

/**
 * Opens a workspace again under its old ids, with new shells in the old directories; nothing is announced, since nobody
 * is there yet. Gives the panes whose directory is gone: their shells start at home.
 */
export function restoreWorkspace(session: Session, kept: WorkspaceToRestore): { pane: string; cwd: string }[] {
  const { ports } = session;
  const lost: { pane: string; cwd: string }[] = [];
  const workspace: Workspace = {
    id: kept.id,
    number: kept.number,
    label: kept.label,
    tabs: [],
    activeTab: '',
    nextTab: kept.nextTab,
    nextPane: kept.nextPane,
    tokens: {},
    tokenSequences: new Map(),
    worktree: kept.worktree,
  };
  for (const keptTab of kept.tabs) {
    const id = tabId(workspace.id, keptTab.number);
    const panes: Pane[] = [];
    for (const { number, label, cwd } of keptTab.panes) {
      const there = ports.isDirectory(cwd);
      if (!there) lost.push({ pane: paneId(workspace.id, number), cwd });
      try {
        panes.push(openPane(session, { workspace, tabId: id, number, cwd: there ? cwd : ports.home, env: {}, label }));
      } catch (error) {
        if (!(error instanceof CannotOpen)) throw error;
        ports.log.warn(
          { pane: paneId(workspace.id, number), error },
          'a pane of the last run could not be opened again',
        );
      }
    }
    const [first] = panes;
    if (!first) continue;
    const focused = panes.find((pane) => pane.id === keptTab.focusedPane) ?? first;
    const tab: Tab = {
      id,
      workspaceId: workspace.id,
      number: keptTab.number,
      label: keptTab.label,
      layout: keptTab.layoutFor(panes.map((pane) => pane.id)) ?? sideBySide(panes),
      focusedPane: focused.id,
    };
    workspace.tabs.push(tab);
  }
  const active = workspace.tabs.find((tab) => tab.id === kept.activeTab) ?? workspace.tabs[0];
  if (!active) return lost;
  workspace.activeTab = active.id;
  session.workspaces.push(workspace);
  return lost;
}
