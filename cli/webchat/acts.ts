/** What is done in a web chat: once, under a key, proved or looked up. */
import { randomUUID } from 'node:crypto';
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { callersPane } from '../agent/index.ts';
import { action } from '../command.ts';
import { count, given, json } from '../continuity/index.ts';
import { UsageError } from '../exit.ts';
import type { Answer } from '../runtime/index.ts';
import { note, readPiped, say } from '../terminal/index.ts';
import { act, look, ref, tell } from './ask.ts';
import { because, type ResourceShown, tabSaid } from './show.ts';

const chat = { type: 'positional', description: 'The chat (br_…)' } as const;
const session = { ...chat, required: true } as const;
const message = {
  type: 'positional',
  required: false,
  description: 'The message; - or nothing reads it from the pipe',
} as const;
const generation = {
  type: 'string',
  description: 'observation_generation that this was planned against. Default: the one of now',
} as const;
const key = { type: 'string', description: 'Idempotency key: the same key is looked up, never sent again' } as const;
const chain = { type: 'string', description: 'Line of work that this belongs to' } as const;
const parent = {
  type: 'string',
  description: 'The agent that is woken with the answer: its name or pane. Default: the pane that this is run in',
} as const;

export const create = action(
  'create',
  'Open a new chat on ChatGPT with its first message, beside a known one or in a named account',
  {
    message,
    'source-url': { type: 'string', description: 'Address of the chat that the new one stands beside' },
    endpoint: { type: 'string', description: 'The browser (bep_…), with --account instead of --source-url' },
    provider: { type: 'string', description: 'The site. Default: chatgpt' },
    account: { type: 'string', description: 'The account (br_…)' },
    space: { type: 'string', description: 'The Project (br_…)' },
    label: { type: 'string', description: 'A name for lists' },
    generation,
    key,
    'work-chain': chain,
    parent,
    json,
  },
  async (args) => {
    const source = args['source-url'];
    if ((source === undefined) === (args.account === undefined)) {
      throw new UsageError('Give --source-url, or --endpoint and --account. Nothing was sent.');
    }
    const named = source === undefined ? await account(args) : { source_url: source };
    const params = {
      message: await words(args.message),
      ...named,
      ...given({
        display_label: args.label,
        work_chain_id: args['work-chain'],
        parent_target: await parentOf(args.parent),
      }),
    };
    await dispatched('herdr_mcp.browser_session.create', params, args);
  },
);

async function account(args: {
  endpoint?: string | undefined;
  provider?: string | undefined;
  account?: string | undefined;
  space?: string | undefined;
  generation?: string | undefined;
}): Promise<Answer> {
  const accountRef = ref(args.account ?? '', 'br', 'An account');
  return given({
    endpoint_ref: ref(args.endpoint ?? '', 'bep', 'A browser (--endpoint)'),
    provider: args.provider ?? 'chatgpt',
    account_ref: accountRef,
    space_ref: args.space === undefined ? undefined : ref(args.space, 'br', 'A Project'),
    expected_generation: count(args.generation, '--generation') ?? (await generationOf(accountRef)),
  });
}

export const send = action(
  'send',
  'Send one message into a known chat',
  { session, message, generation, key, 'work-chain': chain, parent, json },
  async (args) => {
    const params = {
      ...(await planned(args)),
      message: await words(args.message),
      ...given({ work_chain_id: args['work-chain'], parent_target: await parentOf(args.parent) }),
    };
    await dispatched('herdr_mcp.browser_dispatch.submit', params, args);
  },
);

export const open = action(
  'open',
  'Show a known chat in its browser',
  { session, generation, key, json },
  async (args) => dispatched('herdr_mcp.browser_session.open', await planned(args), args),
);

export const archive = action(
  'archive',
  'Archive a known chat, or the one whose newest user message is given',
  {
    session: { ...chat, required: false },
    'current-user-message': {
      type: 'string',
      description: 'Instead of the chat: its newest user message, whole and word for word; - reads it from the pipe',
    },
    generation,
    key,
    json,
  },
  async (args) => {
    const said = args['current-user-message'];
    if ((args.session === undefined) === (said === undefined))
      throw new UsageError('Give the chat (br_…) or --current-user-message, not both. Nothing was done.');
    if (args.session === undefined && args.generation !== undefined)
      throw new UsageError('--generation comes with a chat; a message was seen under its own. Nothing was done.');
    const params =
      args.session === undefined
        ? { current_user_message: await words(said) }
        : await planned({ ...args, session: args.session });
    await dispatched('herdr_mcp.browser_session.archive', params, args);
  },
);

export const stop = action(
  'stop',
  'Stop the answer that is being written in a chat, or withdraw a dispatch that no browser has yet',
  {
    ref: { type: 'positional', required: true, description: 'The chat (br_…) or the dispatch (bd_…)' },
    generation,
    key,
    json,
  },
  async (args) => {
    if (!args.ref.startsWith('bd_')) {
      return dispatched('herdr_mcp.browser_dispatch.stop', await planned({ ...args, session: args.ref }), args);
    }
    const dispatch = ref(args.ref, 'bd', 'A dispatch');
    const { expected_generation: then } = await look('herdr_mcp.browser_dispatch.status', { dispatch_id: dispatch });
    const expected = count(args.generation, '--generation') ?? then;
    const params = { dispatch_id: dispatch, expected_generation: expected };
    await dispatched('herdr_mcp.browser_dispatch.stop', params, args);
  },
);

/** The chat, and the generation that the act is planned against. */
async function planned(args: { session: string; generation?: string | undefined }): Promise<Answer> {
  const sessionRef = ref(args.session, 'br', 'A chat');
  const expected = count(args.generation, '--generation') ?? (await generationOf(sessionRef));
  return { session_ref: sessionRef, expected_generation: expected };
}

/** As the site is now: what was seen of a resource may be older than what the browser can do there. */
async function generationOf(resourceRef: string): Promise<number> {
  const { resource } = await look('herdr_mcp.browser_resource.inspect', { resource_ref: resourceRef });
  const { endpoint_ref, provider } = resource as ResourceShown & { endpoint_ref: string };
  const { endpoint } = await look('herdr_mcp.browser_endpoint.inspect', { endpoint_ref });
  const sites = (endpoint as { providers: { provider: string; observation_generation: number }[] }).providers;
  const site = sites.find((one) => one.provider === provider);
  if (site === undefined) throw new UsageError('That browser says nothing of this site any more. Nothing was sent.');
  return site.observation_generation;
}

async function dispatched(
  method: string,
  params: Answer,
  args: { key?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  const key = args.key ?? randomUUID();
  const answer = await act(method, { ...params, idempotency_key: key });
  tell(answer, args.json, showDispatched);
  // Whoever left the key to us needs it to ask for the same act once more.
  if (!args.json && answer.ok !== true && args.key === undefined) note(`Its key: --key ${key}`);
}

/** The dispatch alone on stdout, so that the next command can take it; the rest is beside it. */
function showDispatched(answer: Answer): void {
  const view = answer as unknown as DispatchView & { replayed?: boolean };
  say(view.dispatch_id);
  const before = view.replayed ? 'This key was used before. ' : '';
  note(`${before}${view.operation}: ${view.delivery_state}${because(view.reason)}`);
  const tab = view.tab_outcome ?? null;
  if (tab !== null) note(`Its tab: ${tabSaid(tab)}`);
  if (view.session_ref !== null)
    note(`Chat: ${view.session_ref}${view.canonical_url === null ? '' : ` ${view.canonical_url}`}`);
}

async function words(given: string | undefined): Promise<string> {
  const text = given === undefined || given === '-' ? await readPiped('message') : given;
  if (text.trim() === '') throw new UsageError('There is no message. Nothing was sent.');
  return text;
}

async function parentOf(named: string | undefined): Promise<string | undefined> {
  return named ?? (await callersPane(process.env));
}
