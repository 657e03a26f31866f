import type { Static } from 'typebox';
import * as Type from 'typebox';
import { Check } from 'typebox/value';
import { cwdOf, type Layout, leaves, panesOf, type Session } from '../session/index.ts';

/** What is kept of a session for a restart: where everything stood, never what ran in it. */
const Saved = Type.Object({
  version: Type.Literal(1),
  next_workspace: Type.Integer({ minimum: 1 }),
  active_workspace: Type.Optional(Type.String()),
  workspaces: Type.Array(
    Type.Object({
      id: Type.String(),
      number: Type.Integer({ minimum: 1 }),
      label: Type.Optional(Type.String()),
      next_tab: Type.Integer({ minimum: 1 }),
      next_pane: Type.Integer({ minimum: 1 }),
      active_tab: Type.String(),
      worktree: Type.Optional(
        Type.Object({
          repo_key: Type.String(),
          repo_name: Type.String(),
          repo_root: Type.String(),
          checkout_path: Type.String(),
          is_linked_worktree: Type.Boolean(),
        }),
      ),
      tabs: Type.Array(
        Type.Object({
          number: Type.Integer({ minimum: 1 }),
          label: Type.Optional(Type.String()),
          focused_pane: Type.String(),
          layout: Type.Unknown(),
          panes: Type.Array(
            Type.Object({
              number: Type.Integer({ minimum: 1 }),
              label: Type.Optional(Type.String()),
              cwd: Type.String(),
            }),
          ),
        }),
      ),
    }),
  ),
});
export type Saved = Static<typeof Saved>;
export type SavedTab = Saved['workspaces'][number]['tabs'][number];

/** The session as it would be kept now. */
export function savedOf(session: Session): Saved {
  return {
    version: 1,
    next_workspace: session.nextWorkspace,
    ...(session.activeWorkspace === undefined ? {} : { active_workspace: session.activeWorkspace }),
    workspaces: session.workspaces.map((workspace) => ({
      id: workspace.id,
      number: workspace.number,
      ...(workspace.label === undefined ? {} : { label: workspace.label }),
      next_tab: workspace.nextTab,
      next_pane: workspace.nextPane,
      active_tab: workspace.activeTab,
      ...(workspace.worktree ? { worktree: workspace.worktree } : {}),
      tabs: workspace.tabs.map((tab) => ({
        number: tab.number,
        ...(tab.label === undefined ? {} : { label: tab.label }),
        focused_pane: tab.focusedPane,
        layout: tab.layout,
        panes: panesOf(session, tab).map((pane) => ({
          number: pane.number,
          ...(pane.label === undefined ? {} : { label: pane.label }),
          cwd: cwdOf(session, pane),
        })),
      })),
    })),
  };
}

/** Reads what was kept; undefined for anything that is not exactly that. */
export function parseSaved(text: string): Saved | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Check(Saved, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLayout(value: unknown): value is Layout {
  if (typeof value !== 'object' || value === null) return false;
  const node = value as Partial<Record<string, unknown>>;
  if (typeof node['pane'] === 'string') return true;
  const { direction, ratio, first, second } = node;
  return (
    (direction === 'right' || direction === 'down') && typeof ratio === 'number' && isLayout(first) && isLayout(second)
  );
}

/** The kept layout of a tab if it holds exactly these panes, each once. */
export function layoutOf(tab: SavedTab, paneIds: readonly string[]): Layout | undefined {
  if (!isLayout(tab.layout)) return undefined;
  const held = leaves(tab.layout).sort();
  return held.join() === [...paneIds].sort().join() ? tab.layout : undefined;
}
