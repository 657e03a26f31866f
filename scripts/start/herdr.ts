/** Which Herdr is used: the person's own when it answers, else the embedded one; and a workspace on the repository. */
import { homedir, tmpdir } from 'node:os';
import { basename } from 'node:path';
import {
  createHerdrClient,
  type HerdrClient,
  HerdrFailure,
  herdrSocketPath,
  serverOf,
} from '../../runtime-a-b/herdr/index.ts';
import { HERDR_PING_MS } from './limits.ts';

export interface FoundHerdr {
  socket: string;
  version: string;
}

/** The Herdr that the environment names, when one answers there that we can use in full. */
export async function realHerdr(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<FoundHerdr | undefined> {
  const socket = herdrSocketPath({ env, homeDir: env['HOME'] ?? homedir(), tempDir: tmpdir() });
  let pong: { version: string; protocol: number };
  try {
    pong = await createHerdrClient(socket).call('ping', {}, { timeoutMs: HERDR_PING_MS });
  } catch (error) {
    if (error instanceof HerdrFailure) return undefined; // nobody there, or nobody that answers
    throw error;
  }
  const server = serverOf(pong, socket);
  if (server.support === 'full') return { socket, version: pong.version };
  say(
    `The Herdr at ${socket} is ${pong.version}, which is too old to work with; an embedded one is started beside it.`,
  );
  return undefined;
}

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
