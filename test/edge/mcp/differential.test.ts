/** Our lanes beside the SDK's own handler over the same tools: what a client sees must be the same. */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { CURRENT_PUBLIC } from '../../../contract/epochs/index.ts';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from '../../../edge/mcp/served.ts';
import { verifies } from '../../verifies.ts';
import { FakeLink } from '../workstation/fake-link.ts';
import { freshEdge } from '../workstation/rig.ts';
import { ENVELOPE, modernHeaders, post, type RpcAnswer } from './client.ts';

let token: string;
let link: FakeLink;

const RESULTS: Record<string, Record<string, unknown>> = {
  '/plain': { content: [{ type: 'text', text: '{"ok":true}' }] },
  '/failed': { content: [{ type: 'text', text: '{"ok":false}' }], isError: true },
  '/image': {
    content: [
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'text', text: 'ü\u2028' },
    ],
  },
  '/empty': { content: [] },
};

const resultFor = (path: unknown) => RESULTS[String(path)] ?? RESULTS['/plain'] ?? {};

beforeAll(async () => {
  const rig = await freshEdge();
  token = rig.token;
  link = await FakeLink.connect(rig.device);
  link.onCall = ({ call, args }) =>
    link.answer(call.dispatch_id, new TextEncoder().encode(JSON.stringify(resultFor(args.path))));
});

function referenceServer(): Server {
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => ({ tools: structuredClone(CURRENT_PUBLIC.tools) as never }));
  server.setRequestHandler('tools/call', ({ params }) => resultFor(params.arguments?.path) as never);
  return server;
}

const reference = createMcpHandler(referenceServer);

async function askReference(
  body: unknown,
  headers: Record<string, string>,
): Promise<Pick<RpcAnswer, 'status' | 'message'>> {
  const response = await reference.fetch(
    new Request('https://edge.test/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  const json =
    text
      .split('\n')
      .find((line) => line.startsWith('data: '))
      ?.slice(6) ?? text;
  return { status: response.status, message: json === '' ? ({} as RpcAnswer['message']) : JSON.parse(json) };
}

/** What we add on purpose, and the cache hints, which are ours to choose. */
function comparable(message: RpcAnswer['message']): unknown {
  const copy = structuredClone(message);
  const meta = copy.result?._meta as Record<string, unknown> | undefined;
  if (copy.result && meta) {
    delete meta.herdr;
    if (Object.keys(meta).length === 0) delete copy.result._meta;
  }
  if (copy.result) {
    delete copy.result.ttlMs;
    delete copy.result.cacheScope;
  }
  return copy;
}

const request = (method: string, params: unknown, id: string | number = 1) => ({ jsonrpc: '2.0', id, method, params });
const read = (path: string) => ({ name: 'herdr_fs_read', arguments: { path } });
const handshake = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
});
const enveloped = (params: Record<string, unknown>) => ({ ...params, _meta: ENVELOPE });

describe('a 2025-era answer of ours equals the SDK’s', () => {
  it.each<[string, unknown]>([
    ['initialize', request('initialize', handshake('2025-11-25'))],
    ['initialize, older', request('initialize', handshake('2025-03-26'), 'text-id')],
    ['initialize, unknown', request('initialize', handshake('1999-01-01'))],
    ['initialize, malformed', request('initialize', { protocolVersion: 7 })],
    ['tools/list', request('tools/list', {}, 0)],
    ['tools/list without params', { jsonrpc: '2.0', id: 2, method: 'tools/list' }],
    ['a call', request('tools/call', read('/plain'))],
    ['a failed call', request('tools/call', read('/failed'), 'é"\\')],
    ['a call with an image', request('tools/call', read('/image'), -1)],
    ['a call with an empty result', request('tools/call', read('/empty'))],
    ['a call without a name', request('tools/call', { arguments: {} })],
    ['a call with arguments that are none', request('tools/call', { name: 'herdr_fs_read', arguments: [] })],
    ['ping', request('ping', {})],
    ['an unknown method', request('resources/list', {})],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ])('%s', async (_, body) => {
    verifies('edge.mcp-splice');
    const [ours, theirs] = [await post(body, { token }), await askReference(body, {})];
    expect(ours.status).toBe(theirs.status);
    expect(comparable(ours.message)).toEqual(comparable(theirs.message));
  });
});

describe('a 2026-era answer of ours equals the SDK’s', () => {
  it.each<[string, string, Record<string, unknown>, Record<string, string>?]>([
    ['server/discover', 'server/discover', {}],
    ['tools/list', 'tools/list', {}],
    ['a call', 'tools/call', read('/plain')],
    ['a failed call', 'tools/call', read('/failed')],
    ['a call with an image', 'tools/call', read('/image')],
    ['a call with an empty result', 'tools/call', read('/empty')],
    ['ping, which this era does not have', 'ping', {}],
    ['initialize, which this era does not have', 'initialize', handshake('2026-07-28')],
    ['an unknown method', 'resources/list', {}],
    ['a call with a padded header', 'tools/call', read('/plain'), { 'mcp-name': ' herdr_fs_read ' }],
    [
      'a call with an encoded header',
      'tools/call',
      read('/plain'),
      { 'mcp-name': `=?base64?${btoa('herdr_fs_read')}?=` },
    ],
    ['a call with a wrong header', 'tools/call', read('/plain'), { 'mcp-name': 'herdr_exec' }],
  ])('%s', async (_, method, params, shown = {}) => {
    verifies('edge.mcp-splice');
    const name = typeof params.name === 'string' ? params.name : undefined;
    const headers = { ...modernHeaders(method, name), ...shown };
    const body = request(method, enveloped(params));
    const [ours, theirs] = [await post(body, { token, headers }), await askReference(body, headers)];
    expect(ours.status).toBe(theirs.status);
    expect(comparable(ours.message)).toEqual(comparable(theirs.message));
  });
});
