/** Which directory a command runs in: the one project of a workspace, or the one that the caller names. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { findWorkspace } from '../../herdr/index.ts';
import { normalAbsolute, type Root, type RootTable } from '../../roots/index.ts';
import type { ToolContext } from '../context.ts';

export interface Project {
  workspaceId: string;
  root: Root;
  table: RootTable;
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
  const roots = table.roots.filter((root) => root.workspaces.includes(workspace_id));
  return { workspaceId: workspace_id, root: chooseRoot(roots, named, workspace_id), table };
}

/** Pure. Several candidates are listed, none is chosen. */
export function chooseRoot(roots: readonly Root[], named: string | undefined, workspace: string): Root {
  const candidates = roots.map((root) => ({
    root: root.path,
    vcs: root.kind === 'git' ? 'git' : null,
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
