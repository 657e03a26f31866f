/** A workspace on the repository, in whichever Herdr is used. */
import { basename } from 'node:path';
import { createHerdrClient, type HerdrClient } from '../../runtime-a-b/herdr/index.ts';

export interface OpenWorkspace {
  id: string;
  label: string;
  /** False when it was open already. */
  opened: boolean;
}

/** Makes sure that a workspace is open on the repository. One that has a pane anywhere in it counts. */
export async function openWorkspace(socket: string, repository: string): Promise<OpenWorkspace> {
  const herdr = createHerdrClient(socket);
  const known = await workspaceIn(herdr, repository);
  if (known) return { ...known, opened: false };
  const label = basename(repository);
  const { workspace } = await herdr.call('workspace.create', { cwd: repository, label, focus: false });
  return { id: workspace.workspace_id, label: workspace.label, opened: true };
}

async function workspaceIn(herdr: HerdrClient, repository: string): Promise<{ id: string; label: string } | undefined> {
  const [{ workspaces }, { panes }] = await Promise.all([
    herdr.call('workspace.list', {}),
    herdr.call('pane.list', {}),
  ]);
  const pane = panes.find(
    ({ cwd }) => typeof cwd === 'string' && (cwd === repository || cwd.startsWith(`${repository}/`)),
  );
  const workspace = workspaces.find(({ workspace_id }) => workspace_id === pane?.workspace_id);
  return workspace && { id: workspace.workspace_id, label: workspace.label };
}
