/**
 * One conversation of a web AI with a workstation, every step with what came back. It changes nothing but what it opened
 * itself: one tab with one scripted agent, closed at the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoAgent } from './agent.ts';
import type { McpParty } from './client.ts';

export interface Step {
  /** `tools/list` or the name of a tool. */
  name: string;
  args: Record<string, unknown>;
  /** The JSON object inside the result. */
  body: Record<string, unknown>;
  isError: boolean;
}

export interface ConversationOptions {
  say: (line: string) => void;
  /** Which workstation, when there are several. */
  device?: string;
  /** What the agent is told. */
  prompt?: string;
}

export const PROMPT = 'Say in one line what you are.';

/** What is dispatched before the client goes. */
export const DISPATCHED = 'Go on while nobody watches.';

/** How long an agent may take to appear in its pane, in ms: a person's shell may run slow start-up files first. */
const AGENT_MS_MAX = 90_000;

/** How long the client stays away, in ms: longer than a turn of the demo's agent. */
const AWAY_MS = 6_000;

/** How long the result of a dispatch may take after that, in ms. */
const TASK_MS_MAX = 60_000;

/** How often the demo looks whether it has, in ms. */
const POLL_MS = 300;

/** Talks; returns every step. Throws at the first answer that is not `ok`, with what the workstation said. */
export async function converse(party: McpParty, options: ConversationOptions): Promise<Step[]> {
  const talk = new Talk(party, options);
  await talk.listTools();
  const inspected = await talk.call('herdr_inspect', {});
  const { workspace, root } = firstProject(inspected);
  await talk.readSomething(root);
  await talk.call('herdr_fs_grep', { root, pattern: 'the', max_matches: 50 });
  await talk.call('herdr_git', { root, action: 'status' });
  await talk.call('herdr_exec', { workspace, command: 'uname -s && git rev-parse --short HEAD', intent: 'read_only' });
  const agent = await startDemoAgent(talk, workspace, root);
  try {
    await talk.until(
      'herdr_call',
      { method: 'agent.get', params: JSON.stringify({ target: agent.pane }) },
      AGENT_MS_MAX,
    );
    await talk.call('herdr_prompt', {
      target: agent.pane,
      text: options.prompt ?? PROMPT,
      wait: { timeout_ms: 30_000 },
    });
    await talk.call('herdr_call', {
      method: 'pane.read',
      params: JSON.stringify({ pane_id: agent.pane, source: 'visible' }),
    });
    await dispatchAndGo(talk, party, agent.pane);
  } finally {
    await agent.close();
  }
  return talk.steps;
}

/** Work that goes on while nobody watches: the client dispatches, goes, comes back, and finds the result. */
async function dispatchAndGo(talk: Talk, party: McpParty, pane: string): Promise<void> {
  const sent = await talk.call('herdr_call', {
    method: 'herdr_mcp.agent.task.dispatch',
    params: JSON.stringify({ target: pane, text: DISPATCHED, idempotency_key: `demo-${Date.now()}` }),
  });
  talk.say('… the client disconnects; the agent goes on working');
  await party.close();
  await sleep(AWAY_MS);
  await party.comeBack();
  talk.say('… the client is back');
  const isThere = ({ tasks }: Record<string, unknown>) =>
    (tasks as { task_id: string }[] | undefined)?.some(({ task_id }) => task_id === sent['task_id']) === true;
  await talk.until('herdr_call', { method: 'herdr_mcp.agent.task.inbox', params: '{}' }, TASK_MS_MAX, isThere);
  await talk.call('herdr_call', {
    method: 'herdr_mcp.agent.task.ack',
    params: JSON.stringify({ task_id: sent['task_id'] }),
  });
}

/** Says and keeps each step. */
export class Talk {
  readonly steps: Step[] = [];
  readonly #party: McpParty;
  readonly #options: ConversationOptions;

  constructor(party: McpParty, options: ConversationOptions) {
    this.#party = party;
    this.#options = options;
  }

  async listTools(): Promise<void> {
    const tools = await this.#party.listTools();
    this.#options.say('→ tools/list');
    this.#options.say(`← ${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`);
    this.steps.push({ name: 'tools/list', args: {}, body: { tools }, isError: false });
  }

  /** One call; throws unless it is `ok`. */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const step = await this.try(name, args);
    if (step.body['ok'] !== true || step.isError) {
      throw new Error(
        `${name} answered ${String(step.body['code'])}: ${String(step.body['message'])} ${String(step.body['next'] ?? '')}`,
      );
    }
    return step.body;
  }

  /** One call, whatever comes back. */
  async try(name: string, args: Record<string, unknown>): Promise<Step> {
    const given = this.#given(args);
    this.#options.say(`→ ${name} ${JSON.stringify(given)}`);
    const { text, isError } = await this.#party.call(name, given);
    this.#options.say(`← ${shortened(text)}`);
    const step = { name, args: given, body: JSON.parse(text) as Record<string, unknown>, isError };
    this.steps.push(step);
    return step;
  }

  #given(args: Record<string, unknown>): Record<string, unknown> {
    return this.#options.device === undefined ? args : { ...args, device: this.#options.device };
  }

  /** Repeats a read until it is `ok` (and fits), and keeps only the last answer; the time limit bounds it. */
  async until(
    name: string,
    args: Record<string, unknown>,
    withinMs: number,
    fits: (body: Record<string, unknown>) => boolean = () => true,
  ): Promise<void> {
    const end = Date.now() + withinMs;
    this.#options.say(`… waiting until ${name} ${JSON.stringify(args)} succeeds`);
    for (;;) {
      const { text } = await this.#party.call(name, this.#given(args));
      const body = JSON.parse(text) as Record<string, unknown>;
      if ((body['ok'] === true && fits(body)) || Date.now() > end) break;
      await sleep(POLL_MS);
    }
    if (!fits(await this.call(name, args))) throw new Error(`${name} did not show in time what was waited for.`);
  }

  /** A line between the steps. */
  say(line: string): void {
    this.#options.say(line);
  }

  /** The beginning of the first of some usual files that the root has. */
  async readSomething(root: string): Promise<void> {
    for (const name of ['README.md', 'README', 'package.json', '.gitignore']) {
      const { body } = await this.try('herdr_fs_read', { path: `${root}/${name}`, end_line: 12 });
      if (body['ok'] === true) return;
    }
    throw new Error(`${root} has none of the files that the demo would read.`);
  }
}

/** The first workspace with a project: herdr_inspect gives the most relevant first. */
function firstProject(inspected: Record<string, unknown>): { workspace: string; root: string } {
  const workspaces = inspected['workspaces'] as { id: string; projects: { root: string }[] }[];
  for (const { id, projects } of workspaces) {
    const root = projects[0]?.root;
    if (root !== undefined) return { workspace: id, root };
  }
  throw new Error('No workspace with a project is open on the workstation. Open one in Herdr and try again.');
}

const SHOWN_CHARS = 600;

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)} … (${text.length} characters in all)`;
}
