/** `herdr-mcp herdr …`: what Herdr shows, for a person without its own interface and for scripts. */
import { resolve } from 'node:path';
import { action, group } from '../command.ts';
import { UsageError } from '../exit.ts';
import { note, say, sayJson, table } from '../terminal/index.ts';
import { attach as attachTo } from './attach.ts';
import { clean } from './frame.ts';
import { LINES_MAX } from './limits.ts';
import { agentIn, choosePane } from './pane.ts';
import { asked, openHerdr } from './server.ts';

export { openHerdr } from './server.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;
const socket = { type: 'string', description: 'Another Herdr’s socket than the one that is found' } as const;
const pane = {
  type: 'positional',
  description: 'A pane’s id or an agent’s name; the focused pane when absent',
  required: false,
} as const;

async function look(path: string | undefined) {
  const herdr = await openHerdr(path);
  const { snapshot } = await asked('Herdr did not say what is open', herdr.call('session.snapshot', {}));
  return { herdr, snapshot };
}

const ls = action('ls', 'Workspaces, panes and the agents in them', { json, socket }, async (args) => {
  const { snapshot } = await look(args.socket);
  const { workspaces = [], panes = [], agents = [] } = snapshot;
  if (args.json) return sayJson({ workspaces, panes, agents });
  const label = new Map(workspaces.map((workspace) => [workspace.workspace_id, workspace.label]));
  table([
    ['PANE', 'WORKSPACE', 'AGENT', 'STATUS', 'DIRECTORY'],
    ...panes.map((one) => {
      const agent = agentIn(one, agents);
      const name = agent ? (agent.name ?? agent.agent ?? 'unnamed') : '-';
      return [
        one.focused ? `${one.pane_id} *` : one.pane_id,
        label.get(one.workspace_id) ?? one.workspace_id,
        name,
        agent ? agent.agent_status : '-',
        one.foreground_cwd ?? one.cwd ?? '-',
      ];
    }),
  ]).forEach(say);
});

const open = action(
  'open',
  'Open a workspace on a directory',
  {
    directory: { type: 'positional', description: 'The current one when absent', required: false },
    label: { type: 'string', description: 'What it is called' },
    json,
    socket,
  },
  async (args) => {
    const herdr = await openHerdr(args.socket);
    const params = { cwd: resolve(args.directory ?? '.'), ...(args.label === undefined ? {} : { label: args.label }) };
    const made = await asked('No workspace was opened', herdr.call('workspace.create', { ...params, focus: false }));
    if (args.json) return sayJson({ workspace: made.workspace, pane: made.root_pane });
    say(made.root_pane.pane_id);
    note(`Workspace ${made.workspace.workspace_id} (${made.workspace.label}) is open.`);
  },
);

const run = action(
  'run',
  'Type one command into a pane and press Enter; does not wait for it',
  {
    pane: { ...pane, description: 'A pane’s id or an agent’s name', required: true },
    command: { type: 'positional', description: 'One word to this command: quote it', required: true },
    socket,
  },
  async (args) => {
    const { herdr, snapshot } = await look(args.socket);
    const { pane_id } = choosePane(snapshot, args.pane);
    const input = { pane_id, text: args.command, keys: ['enter'] };
    await asked('The command was not typed', herdr.call('pane.send_input', input));
    note(`Typed into ${pane_id}; herdr-mcp herdr read ${pane_id} shows it.`);
  },
);

const read = action(
  'read',
  'Print what a pane shows',
  {
    pane,
    lines: {
      type: 'string',
      description: `So many of its last lines (1 to ${LINES_MAX}), also those that scrolled away`,
    },
    json,
    socket,
  },
  async (args) => {
    const lines = args.lines === undefined ? undefined : countOf(args.lines);
    const { herdr, snapshot } = await look(args.socket);
    const { pane_id, scroll } = choosePane(snapshot, args.pane);
    const deep = { source: 'recent_unwrapped', lines: deepLines(lines ?? 0, scroll?.viewport_rows) } as const;
    const params = { pane_id, ...(lines === undefined ? ({ source: 'visible' } as const) : deep) };
    const answer = await asked('The pane was not read', herdr.call('pane.read', params));
    if (args.json) return sayJson(answer.read);
    const shown = clean(answer.read.text).trimEnd().split('\n');
    shown.slice(lines === undefined ? 0 : -lines).forEach(say);
  },
);

/** Herdr counts the empty rows under the last output too; a person who asks for five lines means five that say something. */
function deepLines(lines: number, screenRows: number | undefined): number {
  return Math.min(LINES_MAX, lines + (screenRows ?? LINES_MAX));
}

function countOf(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > LINES_MAX) throw new UsageError(`--lines is a number from 1 to ${LINES_MAX}.`);
  return count;
}

const attach = action(
  'attach',
  'Watch a pane live and type into it; Ctrl-] detaches',
  { pane, socket },
  async (args) => {
    const { herdr, snapshot } = await look(args.socket);
    const chosen = choosePane(snapshot, args.pane);
    const agent = agentIn(chosen, snapshot.agents);
    const title = [agent?.name ?? agent?.agent, chosen.foreground_cwd ?? chosen.cwd].filter(Boolean).join(' in ');
    const why = await attachTo(herdr, chosen.pane_id, title);
    note(why === 'gone' ? `The pane ${chosen.pane_id} is closed.` : `Detached; ${chosen.pane_id} goes on.`);
  },
);

/** `herdr-mcp herdr …` */
export const herdr = group('herdr', 'Panes and agents of Herdr', { ls, open, run, read, attach });
