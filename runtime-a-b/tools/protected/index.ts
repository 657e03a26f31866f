/**
 * Protected folders: the runtime never looks into them. Whether a call means one is decided by the text of its paths;
 * reading goes to the folder broker, everything else is refused with the way that is open.
 */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { BROKER_REVISION, BROKER_TOOLS, type BrokerDirectory } from '../../../contract/broker.ts';
import { systemCode } from '../../../local/error/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { findWorkspace } from '../../herdr/index.ts';
import { isWithin, type LiveView, normalAbsolute } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext, ToolPolicy } from '../context.ts';
import { askBroker } from './ask.ts';
import { onlyReading, paneOnly } from './refuse.ts';

type Policy = Pick<ToolPolicy, 'protectedFolders' | 'stateDir'>;

/** Answers a call that means a protected folder; undefined leaves it to the tools. */
export type ProtectedRoute = (
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
) => Promise<ToolAnswer> | undefined;

/** One per runtime. `needs` is the broker's revision below which nothing is asked. */
export function protectedRoute(policy: Policy, needs = BROKER_REVISION): ProtectedRoute {
  // The state folder is kept from the tools too, but nobody serves it.
  const own = [resolve(policy.stateDir), canonicalOrSame(policy.stateDir)];
  const folders = policy.protectedFolders.filter((folder) => !own.includes(folder));
  const inside = (path: string) => folders.some((folder) => isWithin(folder, path));
  const socketPath = statePaths(policy.stateDir).brokerSocket;
  const served = folders.map((folder) => `--folder ${quoted(folder)}`).join(' ');
  const command = `herdr-broker --replace --state-dir ${quoted(policy.stateDir)} ${served}`;
  if (folders.length === 0) return () => undefined;
  return (tool, args, context) => {
    const place = placeOf(args);
    if (place !== undefined && inside(place)) {
      if (tool.startsWith('herdr_exec')) throw paneOnly(place);
      if (!BROKER_TOOLS.has(tool)) throw onlyReading(tool, place);
      const view = context.live.view();
      const ask = { tool, args, directories: directoriesIn(view, inside), live: view.state === 'live' };
      return askBroker(ask, { socketPath, needs, command, signal: context.signal });
    }
    if (tool !== 'herdr_exec' || place !== undefined) return undefined;
    const only = protectedProject(context, String(args.workspace), inside);
    if (only !== undefined) throw paneOnly(only);
    return undefined;
  };
}

function placeOf(args: Record<string, unknown>): string | undefined {
  const place = args.path ?? args.root ?? args.project_root;
  return typeof place === 'string' ? normalAbsolute(place) : undefined;
}

function directoriesIn(view: LiveView, inside: (path: string) => boolean): BrokerDirectory[] {
  return [...view.panes, ...view.agents].flatMap(({ workspace_id, pane_id, cwd, foreground_cwd }) =>
    [cwd, foreground_cwd].flatMap((path) =>
      path !== undefined && inside(normalAbsolute(path) ?? '') ? [{ workspace_id, pane_id, cwd: path }] : [],
    ),
  );
}

/** A workspace that stands in protected folders alone: no other project of it could be meant. */
function protectedProject(
  context: ToolContext,
  workspace: string,
  inside: (path: string) => boolean,
): string | undefined {
  const view = context.live.view();
  const { workspace_id } = findWorkspace(view, workspace, context.deviceId);
  const places = view.panes
    .filter((pane) => pane.workspace_id === workspace_id)
    .flatMap((pane) => (pane.cwd === undefined ? [] : [pane.cwd]));
  return places.length > 0 && places.every((path) => inside(normalAbsolute(path) ?? '')) ? places[0] : undefined;
}

function canonicalOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path; // a state folder that does not exist yet has one spelling
  }
}

const quoted = (path: string): string => (/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
