/**
 * The reading tools alone, over directories that are named instead of watched: the door for the folder broker, so that
 * what it serves has the same roots, secret names, symlink checks and limits as everything else.
 */
import type { BrokerDirectory } from '../../../contract/broker.ts';
import { BROKER_TOOLS } from '../../../contract/broker.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { HerdrView } from '../../herdr/index.ts';
import { createRoots, isWithin } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext } from '../context.ts';
import { fileTools } from '../files/index.ts';
import { gitTools } from '../git/index.ts';

export interface ReadingOptions {
  homeDir: string;
  /** Canonical paths; no root outside them is served, whatever directories are named. */
  folders: readonly string[];
  nowMs(): number;
}

export interface ReadingCall {
  tool: string;
  args: Record<string, unknown>;
  directories: readonly BrokerDirectory[];
  live: boolean;
  signal: AbortSignal;
}

/** Runs one reading tool. Throws an {@link OutcomeError}, as the tools do. */
export function createReading(options: ReadingOptions): (call: ReadingCall) => Promise<ToolAnswer> {
  const roots = createRoots({ homeDir: options.homeDir, protectedFolders: [], nowMs: options.nowMs });
  const tools = { ...fileTools, ...gitTools };
  return async ({ tool, args, directories, live, signal }) => {
    const handler = BROKER_TOOLS.has(tool) ? tools[tool] : undefined;
    if (handler === undefined) {
      throw new OutcomeError('unknown_tool', `The broker does not serve ${tool}; nothing was touched.`, {
        next: 'Use the reading tools in protected folders.',
      });
    }
    const all = viewOf(directories, live);
    const table = await roots.table(all);
    // A checkout may begin above the protected folder: that is the runtime's to read, or nobody's.
    const ours = (path: string | undefined) => options.folders.some((folder) => isWithin(folder, path ?? ''));
    const panes = all.panes.filter((pane) => ours(table.rootOfPane.get(pane.pane_id)?.path));
    const view = { ...all, panes };
    // The reading tools use nothing else of a context; the tests of the broker call every one of them.
    const context: Pick<ToolContext, 'live' | 'roots' | 'signal' | 'nowMs'> = {
      live: { view: () => view, refresh: async () => view, onChange: () => () => undefined },
      roots,
      signal,
      nowMs: options.nowMs,
    };
    return await handler(args, context as ToolContext);
  };
}

function viewOf(directories: readonly BrokerDirectory[], live: boolean): HerdrView {
  return {
    state: live ? 'live' : 'stale',
    observedAtMs: undefined,
    server: undefined,
    workspaces: [],
    tabs: [],
    panes: directories.map((directory) => ({
      ...directory,
      terminal_id: directory.pane_id,
      tab_id: directory.workspace_id,
      focused: false,
      agent_status: 'unknown',
      revision: 0,
    })),
    agents: [],
    focused: {},
    problem: undefined,
    warnings: [],
    revision: 0,
  };
}
