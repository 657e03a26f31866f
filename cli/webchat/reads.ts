/** What may be looked at: browsers, accounts, Projects and chats, dispatches and their answers. Nothing is changed. */
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { action } from '../command.ts';
import { count, given, json } from '../continuity/index.ts';
import { UsageError } from '../exit.ts';
import { note, say, sayJson, sayText, table } from '../terminal/index.ts';
import { look, ref } from './ask.ts';
import {
  dispatchLines,
  type EndpointShown,
  endpointLines,
  type ResourceShown,
  resourceLines,
  resourceRows,
} from './show.ts';

const KINDS = ['account', 'space', 'session'] as const;

export const endpoints = action(
  'endpoints',
  'Browsers of this workstation, what a person allows there, and what each can do on which site',
  { json },
  async (args) => {
    const answer = await look('herdr_mcp.browser_endpoint.list', {});
    if (args.json) return sayJson(answer);
    const found = answer.endpoints as EndpointShown[];
    if (found.length === 0) return say('No browser with the extension has reached this workstation.');
    for (const endpoint of found) endpointLines(endpoint, Date.now()).forEach(say);
  },
);

export const resources = action(
  'resources',
  'Accounts, Projects and chats that a browser has shown, the newest first',
  {
    endpoint: { type: 'string', description: 'The browser (bep_…). Default: the only one' },
    provider: { type: 'string', description: 'The site. Default: chatgpt' },
    kind: { type: 'string', description: 'account, space (a Project) or session (a chat). Default: session' },
    parent: { type: 'string', description: 'Only what lies in that account or Project (br_…)' },
    limit: { type: 'string', description: 'How many, at most 64' },
    json,
  },
  async (args) => {
    const kind = args.kind ?? 'session';
    if (!KINDS.some((known) => known === kind)) throw new UsageError(`--kind is one of ${KINDS.join(', ')}.`);
    const answer = await look(
      'herdr_mcp.browser_resource.list',
      given({
        endpoint_ref: args.endpoint === undefined ? await onlyEndpoint() : ref(args.endpoint, 'bep', 'A browser'),
        provider: args.provider ?? 'chatgpt',
        kind,
        parent_ref: args.parent === undefined ? undefined : ref(args.parent, 'br', 'An account or Project'),
        limit: count(args.limit, '--limit'),
      }),
    );
    if (args.json) return sayJson(answer);
    const found = answer.resources as ResourceShown[];
    if (found.length === 0)
      return say(`The browser has shown none on ${args.provider ?? 'chatgpt'}. Other sites: --provider`);
    table(resourceRows(found, Date.now())).forEach(say);
    if (answer.truncated === true) note('There are more: --limit');
  },
);

export const inspect = action(
  'inspect',
  'One browser, account, Project, chat or dispatch by its ref',
  { ref: { type: 'positional', required: true, description: 'bep_…, br_… or bd_…, or the address of a chat' }, json },
  async (args) => {
    const named = args.ref.startsWith('https://') ? await chatAt(args.ref) : args.ref;
    if (named.startsWith('bd_')) return showDispatch(named, undefined, args.json);
    if (named.startsWith('bep_')) {
      const params = { endpoint_ref: ref(named, 'bep', 'A browser') };
      const answer = await look('herdr_mcp.browser_endpoint.inspect', params);
      if (args.json) return sayJson(answer);
      return endpointLines(answer.endpoint as EndpointShown, Date.now()).forEach(say);
    }
    const params = { resource_ref: ref(named, 'br', 'An account, Project or chat') };
    const answer = await look('herdr_mcp.browser_resource.inspect', params);
    if (args.json) return sayJson(answer);
    resourceLines(answer.resource as ResourceShown, Date.now()).forEach(say);
  },
);

/** The ref of the chat that an address leads to. */
async function chatAt(address: string): Promise<string> {
  const { session_ref: chat } = await look('herdr_mcp.browser_source.resolve', { source_url: address });
  return String(chat);
}

const dispatch = { type: 'positional', required: true, description: 'The dispatch (bd_…)' } as const;

export const dispatchStatus = action(
  'dispatch-status',
  'What became of a dispatch; looks only',
  { dispatch, wait: { type: 'string', description: 'Seconds to wait for news, at most 40' }, json },
  (args) => showDispatch(args.dispatch, args.wait, args.json),
);

async function showDispatch(id: string, wait: string | undefined, asJson: boolean | undefined): Promise<void> {
  const seconds = count(wait, '--wait');
  const waitMs = seconds === undefined ? undefined : Math.min(seconds, 40) * 1_000;
  const params = given({ dispatch_id: ref(id, 'bd', 'A dispatch'), wait_ms: waitMs });
  const answer = await look('herdr_mcp.browser_dispatch.status', params);
  if (asJson) return sayJson(answer);
  dispatchLines(answer as unknown as DispatchView, Date.now()).forEach(say);
}

export const result = action(
  'result',
  'The complete answer to a dispatch. It is a model’s text: check what it claims',
  { dispatch, offset: { type: 'string', description: 'Characters to leave out at the beginning' }, json },
  async (args) => {
    const params = given({
      dispatch_id: ref(args.dispatch, 'bd', 'A dispatch'),
      offset: count(args.offset, '--offset'),
    });
    const answer = await look('herdr_mcp.browser_dispatch.result', params);
    if (args.json) return sayJson(answer);
    if (answer.settled !== true) return note(`It is not complete (${String(answer.execution_state)}).`);
    sayText(String(answer.text));
    if (typeof answer.next_offset === 'number') note(`More: --offset ${answer.next_offset}`);
  },
);

export const archiveStatus = action(
  'archive-status',
  'Whether a chat was archived; looks only',
  { session: { type: 'positional', required: true, description: 'The chat (br_…)' }, json },
  async (args) => {
    const params = { session_ref: ref(args.session, 'br', 'A chat') };
    const answer = await look('herdr_mcp.browser_session.archive_status', params);
    if (args.json) return sayJson(answer);
    say(String(answer.archive_state));
  },
);

/** The one browser of this workstation. With several a person or an agent says which. */
async function onlyEndpoint(): Promise<string> {
  const found = (await look('herdr_mcp.browser_endpoint.list', {})).endpoints as EndpointShown[];
  const [first] = found;
  if (first === undefined) throw new UsageError('No browser with the extension has reached this workstation.');
  if (found.length > 1) throw new UsageError('There are several browsers; name one with --endpoint.');
  return first.endpoint_ref;
}
