/** The roots of one live picture, deepest first. Pure: places come in, nothing is looked at here. */
import type { HerdrView } from '../herdr/index.ts';
import type { Place } from './place.ts';
import { depth, isWithin } from './segments.ts';

/** What the roots need of Herdr's picture; a plain object will do. */
export type LiveView = Pick<HerdrView, 'state' | 'workspaces' | 'panes' | 'agents'>;

export interface Root {
  /** Canonical absolute path. */
  path: string;
  /** Other absolute spellings under which live directories show it. */
  spellings: readonly string[];
  /** `git`: a checkout or bare repository. `operational`: a directory without version control; read and exec only. */
  kind: 'git' | 'operational';
  /** A Git repository without a working tree. */
  bare: boolean;
  /** Ids, in Herdr's order. */
  workspaces: readonly string[];
  panes: readonly string[];
  /** Herdr does not confirm it now; it still exists on disk. */
  stale: boolean;
  /** In a protected folder, known by its text alone; `kind` says nothing then. Never in a {@link RootTable}. */
  guarded?: true;
}

export interface RootTable {
  /** Deepest first. */
  roots: readonly Root[];
  /** How sure Herdr's picture is. With `unknown` the list is empty, which says nothing. */
  state: LiveView['state'];
  /** The root of each pane whose directory is inside one. */
  rootOfPane: ReadonlyMap<string, Root>;
  /** Live directories that are no root, with the reason. */
  refused: ReadonlyMap<string, string>;
}

/** Every directory that the picture shows, each with the workspaces and panes that stand in it. */
export function liveDirectories(view: LiveView): Map<string, { workspaces: Set<string>; panes: Set<string> }> {
  const found = new Map<string, { workspaces: Set<string>; panes: Set<string> }>();
  const add = (cwd: string | undefined, workspace: string, pane?: string) => {
    if (cwd === undefined || cwd === '') return;
    const entry = found.get(cwd) ?? { workspaces: new Set(), panes: new Set() };
    entry.workspaces.add(workspace);
    if (pane !== undefined) entry.panes.add(pane);
    found.set(cwd, entry);
  };
  for (const workspace of view.workspaces) add(workspace.worktree?.checkout_path, workspace.workspace_id);
  for (const pane of [...view.panes, ...view.agents]) {
    add(pane.cwd, pane.workspace_id, pane.pane_id);
    add(pane.foreground_cwd, pane.workspace_id, pane.pane_id);
  }
  return found;
}

/** Groups live directories by root. A directory without a known place is left out. */
export function buildTable(view: LiveView, placeOf: (cwd: string) => Place | undefined): RootTable {
  interface Draft extends Omit<Root, 'spellings' | 'workspaces' | 'panes'> {
    spellings: Set<string>;
    workspaces: Set<string>;
    panes: Set<string>;
  }
  const drafts = new Map<string, Draft>();
  const refused = new Map<string, string>();
  for (const [cwd, { workspaces, panes }] of liveDirectories(view)) {
    const place = placeOf(cwd);
    if (place === undefined || place.kind === 'gone') continue;
    if (place.kind === 'none') {
      refused.set(cwd, place.why);
      continue;
    }
    let draft = drafts.get(place.root);
    if (draft === undefined) {
      const { root: path, kind, bare } = place;
      const stale = view.state !== 'live';
      draft = { path, kind, bare, stale, spellings: new Set(), workspaces: new Set(), panes: new Set() };
      drafts.set(place.root, draft);
    }
    if (place.spelling !== place.root) draft.spellings.add(place.spelling);
    for (const workspace of workspaces) draft.workspaces.add(workspace);
    for (const pane of panes) draft.panes.add(pane);
  }
  const roots = [...drafts.values()]
    .map(
      (draft): Root => ({
        ...draft,
        spellings: [...draft.spellings],
        workspaces: [...draft.workspaces],
        panes: [...draft.panes],
      }),
    )
    .sort((a, b) => depth(b.path) - depth(a.path) || (a.path < b.path ? -1 : 1));
  const rootOfPane = new Map<string, Root>();
  for (const root of roots) for (const pane of root.panes) if (!rootOfPane.has(pane)) rootOfPane.set(pane, root);
  return { roots, state: view.state, rootOfPane, refused };
}

/** The deepest root that holds a canonical path. */
export function rootOfCanonical(table: RootTable, path: string): Root | undefined {
  return table.roots.find((root) => isWithin(root.path, path));
}

/** The deepest root that holds a path under any of its spellings, and the spelling that matched. */
export function rootOfSpelling(table: RootTable, path: string): { root: Root; under: string } | undefined {
  let best: { root: Root; under: string } | undefined;
  for (const root of table.roots) {
    for (const under of [root.path, ...root.spellings]) {
      if (!isWithin(under, path)) continue;
      if (best === undefined || depth(under) > depth(best.under)) best = { root, under };
    }
  }
  return best;
}
