/** What a conversation is made of: calls of one client, each said aloud and kept with what came back. */
import { setTimeout as sleep } from 'node:timers/promises';
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

/** How often the demo looks whether what it waits for is there, in ms. */
const POLL_MS = 300;

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

const SHOWN_CHARS = 600;

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)} … (${text.length} characters in all)`;
}
