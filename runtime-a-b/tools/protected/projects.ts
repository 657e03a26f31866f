/**
 * Directories in protected folders that Herdr shows open, known by their text alone: nothing here looks at the disk. Each
 * is a project of its own in which commands run in a visible pane; whether it is a Git checkout the runtime cannot know.
 */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemCode } from '../../../local/error/index.ts';
import {
  isWithin,
  type LiveView,
  liveDirectories,
  normalAbsolute,
  type Root,
  type RootTable,
} from '../../roots/index.ts';
import type { ToolPolicy } from '../context.ts';

type Policy = Pick<ToolPolicy, 'protectedFolders' | 'stateDir' | 'homeDir'>;

/** Protected folders that a broker or a pane may serve; the state folder is kept from the tools too, but by nobody served. */
export function servedFolders(policy: Pick<Policy, 'protectedFolders' | 'stateDir'>): string[] {
  const own = [resolve(policy.stateDir), canonicalOrSame(policy.stateDir)];
  return policy.protectedFolders.filter((folder) => !own.includes(folder));
}

/** Pure, given the folders. HOME and what lies above it are no project, here as everywhere. */
export function protectedProjects(view: LiveView, folders: readonly string[], homeDir: string): Root[] {
  if (folders.length === 0) return [];
  const found: Root[] = [];
  for (const [cwd, { workspaces, panes }] of liveDirectories(view)) {
    const path = normalAbsolute(cwd);
    if (path === undefined || !folders.some((folder) => isWithin(folder, path)) || isWithin(path, homeDir)) continue;
    const stale = view.state !== 'live';
    const where = { workspaces: [...workspaces], panes: [...panes] };
    found.push({ path, spellings: [], kind: 'operational', bare: false, ...where, stale, guarded: true });
  }
  return found;
}

/**
 * The table with one protected project in it. An agent in a folder above or below it may work on the same checkout, so it
 * counts as one of the project's.
 */
export function tableWith(table: RootTable, view: LiveView, project: Root): RootTable {
  const rootOfPane = new Map(table.rootOfPane);
  for (const { pane_id, cwd, foreground_cwd } of [...view.panes, ...view.agents]) {
    const places = [cwd, foreground_cwd].map((path) => (path === undefined ? undefined : normalAbsolute(path)));
    const isNear = (path: string) => isWithin(project.path, path) || isWithin(path, project.path);
    if (places.some((path) => path !== undefined && isNear(path))) rootOfPane.set(pane_id, project);
  }
  return { ...table, roots: [project, ...table.roots], rootOfPane };
}

function canonicalOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path; // a state folder that does not exist yet has one spelling
  }
}
