/** Which directory a command runs in: the one project of a workspace, or the one that the caller names. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { assertKnown, findWorkspace } from '../../herdr/index.ts';
import { isWithin, normalAbsolute, type Root, type RootTable } from '../../roots/index.ts';
import type { ToolContext } from '../context.ts';
import { protectedProjects, servedFolders, tableWith } from '../protected/index.ts';

export interface Project {
  workspaceId: string;
  root: Root;
  table: RootTable;
  /** The directory is protected: the command runs in a visible pane of this workspace. */
  inPane: boolean;
}

/** Throws `workspace_not_found`, `project_root_required`, `project_root_not_in_workspace`; nothing was run then. */
export async function findProject(
  context: ToolContext,
  workspace: string,
  named: string | undefined,
): Promise<Project> {
  const view = context.live.view();
  const { workspace_id } = findWorkspace(view, workspace, context.deviceId);
  const table = await context.roots.table(view);
  const inWorkspace = (root: Root) => root.workspaces.includes(workspace_id);
  const guarded = protectedOf(context).filter(inWorkspace);
  const root = chooseRoot([...table.roots.filter(inWorkspace), ...guarded], named, workspace_id);
  const inPane = guarded.includes(root);
  return { workspaceId: workspace_id, root, table: inPane ? tableWith(table, view, root) : table, inPane };
}

/**
 * The project of `herdr_exec_start`, which names a directory and no workspace. In a protected folder the pane belongs to
 * the focused workspace that shows the directory, else to the first. Throws `outside_managed_roots`, `root_not_project_root`.
 */
export async function exactProject(context: ToolContext, path: string): Promise<Project> {
  const view = context.live.view();
  const asked = normalAbsolute(path);
  const isGuarded = servedFolders(context.policy).some((folder) => asked !== undefined && isWithin(folder, asked));
  if (!isGuarded) {
    const root = await context.roots.exact(view, path);
    return { workspaceId: root.workspaces[0] ?? '', root, table: await context.roots.table(view), inPane: false };
  }
  assertKnown(view);
  const all = protectedOf(context);
  const root = all.find((each) => each.path === asked);
  if (root === undefined) throw notShown(asked ?? path, all);
  const { workspaceId: focused } = view.focused;
  const workspaceId = root.workspaces.find((id) => id === focused) ?? root.workspaces[0] ?? '';
  return { workspaceId, root, table: tableWith(await context.roots.table(view), view, root), inPane: true };
}

function protectedOf({ live, policy }: ToolContext): Root[] {
  return protectedProjects(live.view(), servedFolders(policy), policy.homeDir);
}

function notShown(path: string, all: readonly Root[]): OutcomeError {
  return new OutcomeError(
    'root_not_project_root',
    `${path} lies in a protected folder and is no directory that Herdr shows open; nothing was run.`,
    {
      next: all.length === 0 ? OPEN : 'Use one of the candidates as root, or open a pane in that directory.',
      delivery: 'not_delivered',
      details: { candidates: all.map((root) => root.path) },
    },
  );
}

/** Pure. Several candidates are listed, none is chosen. */
function chooseRoot(roots: readonly Root[], named: string | undefined, workspace: string): Root {
  const candidates = roots.map((root) => ({
    root: root.path,
    ...(root.guarded ? { vcs: 'unknown', protected: true } : { vcs: root.kind === 'git' ? 'git' : null }),
    panes: root.panes,
  }));
  if (named !== undefined) {
    const asked = normalAbsolute(named);
    const found = roots.find((root) => root.path === asked || root.spellings.includes(asked ?? ''));
    if (found !== undefined) return found;
    throw new OutcomeError(
      'project_root_not_in_workspace',
      `${named} is no project root of workspace ${workspace}; nothing was run.`,
      {
        next: candidates.length === 0 ? OPEN : 'Use one of the candidates as project_root.',
        delivery: 'not_delivered',
        details: { candidates },
      },
    );
  }
  const [only, ...more] = roots;
  if (only !== undefined && more.length === 0) return only;
  throw new OutcomeError(
    'project_root_required',
    only === undefined
      ? `No pane of workspace ${workspace} stands in a directory that is a root; nothing was run.`
      : `Workspace ${workspace} holds ${roots.length} projects; nothing was run.`,
    {
      next: only === undefined ? OPEN : 'Call again with one of the candidates as project_root.',
      delivery: 'not_delivered',
      details: { candidates },
    },
  );
}

const OPEN = 'Open a pane in the project directory in that workspace, then call again.';
