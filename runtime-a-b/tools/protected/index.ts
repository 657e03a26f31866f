/**
 * Protected folders: the runtime never looks into them. Whether a call means one is decided by the text of its paths;
 * reading goes to the folder broker, commands go to a visible pane (tools/exec), and everything else is refused with the
 * way that is open.
 */
import { BROKER_REVISION, BROKER_TOOLS, type BrokerDirectory } from '../../../contract/broker.ts';
import { resolveStateDir, statePaths } from '../../../local/paths/index.ts';
import { isWithin, type LiveView, normalAbsolute } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext, ToolPolicy } from '../context.ts';
import { askBroker } from './ask.ts';
import { servedFolders } from './projects.ts';
import { onlyReading } from './refuse.ts';

export { protectedProjects, servedFolders, tableWith } from './projects.ts';

type Policy = Pick<ToolPolicy, 'protectedFolders' | 'stateDir' | 'homeDir'>;

/** Answers a call that means a protected folder; undefined leaves it to the tools. */
export type ProtectedRoute = (
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
) => Promise<ToolAnswer> | undefined;

/** One per runtime. `needs` is the broker's revision below which nothing is asked. */
export function protectedRoute(policy: Policy, needs = BROKER_REVISION): ProtectedRoute {
  const folders = servedFolders(policy);
  const inside = (path: string) => folders.some((folder) => isWithin(folder, path));
  const socketPath = statePaths(policy.stateDir).brokerSocket;
  const command = brokerCommand(policy);
  if (folders.length === 0) return () => undefined;
  return (tool, args, context) => {
    const place = placeOf(args);
    if (place === undefined || tool.startsWith('herdr_exec') || !inside(place)) return undefined;
    if (!BROKER_TOOLS.has(tool)) throw onlyReading(tool, place);
    const view = context.live.view();
    const ask = { tool, args, directories: directoriesIn(view, inside), live: view.state === 'live' };
    return askBroker(ask, { socketPath, needs, command, signal: context.signal });
  };
}

function placeOf(args: Record<string, unknown>): string | undefined {
  const place = args.path ?? args.root;
  return typeof place === 'string' ? normalAbsolute(place) : undefined;
}

function directoriesIn(view: LiveView, inside: (path: string) => boolean): BrokerDirectory[] {
  return [...view.panes, ...view.agents].flatMap(({ workspace_id, pane_id, cwd, foreground_cwd }) =>
    [cwd, foreground_cwd].flatMap((path) =>
      path !== undefined && inside(normalAbsolute(path) ?? '') ? [{ workspace_id, pane_id, cwd: path }] : [],
    ),
  );
}

/** The command that starts or replaces the broker of this state folder. */
function brokerCommand({ stateDir, homeDir }: Policy): string {
  const isUsual = resolveStateDir({}, homeDir) === stateDir;
  return `${isUsual ? '' : `HERDR_MCP_STATE_DIR=${quoted(stateDir)} `}herdr-mcp broker run --replace`;
}

const quoted = (path: string): string => (/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
