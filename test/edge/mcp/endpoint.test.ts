/**
 * What the public endpoint answers to clients of both eras, to bad input, and about itself.
 * Long because every file here loads the whole Worker into a workerd of its own, which takes seconds.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { CURRENT_PUBLIC, CURRENT_RUNTIME, EPOCH_STATE } from '../../../contract/epochs/index.ts';
import { BODY_BYTES_MAX } from '../../../contract/limits.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { verifies } from '../../verifies.ts';
import { ask, ORIGIN } from '../auth/harness.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { freshEdge, type Rig } from '../workstation/rig.ts';
import { bodyOf, call, ENVELOPE, modern, modernHeaders, post, rpc } from './client.ts';

let rig: Rig;
let link: FakeLink;
let token: string;

beforeAll(async () => {
  rig = await freshEdge();
  token = rig.token;
  link = await FakeLink.connect(rig.device);
  link.onCall = ({ call: { dispatch_id }, args }) => link.answer(dispatch_id, toolResult({ ok: true, echo: args }));
});

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'host-x', version: '3' },
};
const READ = { path: '/home/me/a.txt' };

describe('without a token', () => {
  const requests: Array<[string, () => Promise<Response>]> = [
    ['initialize', () => raw({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })],
    [
      'server/discover',
      () =>
        raw(
          { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: ENVELOPE } },
          modernHeaders('server/discover'),
        ),
    ],
    ['tools/list', () => raw({ jsonrpc: '2.0', id: 1, method: 'tools/list' })],
    ['tools/call', () => raw({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'herdr_devices' } })],
    ['a body that is no JSON', () => raw('{')],
    ['GET', () => ask('/mcp')],
    ['DELETE', () => ask('/mcp', { method: 'DELETE' })],
    ['a wrong scheme', () => ask('/mcp', { headers: { authorization: 'Basic abc' } })],
    ['a made-up token', () => ask('/mcp', { headers: { authorization: 'Bearer nobody' } })],
  ];

  it.each(requests)('%s is 401 with an absolute challenge', async (_, send) => {
    verifies('edge.mcp-no-token');
    const response = await send();
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    await response.body?.cancel();
  });

  it('only a preflight is answered', async () => {
    const response = await ask('/mcp', { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('Mcp-Name');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
  });
});

describe('a 2025-era client', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('agrees on %s', async (protocolVersion) => {
    verifies('edge.mcp-eras');
    const { message, headers } = await rpc('initialize', { ...INITIALIZE, protocolVersion }, { token });
    expect(message.result).toMatchObject({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'herdr-mcp' },
      _meta: { herdr: { contract_epoch: 8, contract_hash: CURRENT_PUBLIC.hash, tool_count: 19 } },
    });
    expect(headers.get('mcp-session-id')).toBeNull();
  });

  it('that asks for an unknown version is offered the newest', async () => {
    const { message } = await rpc('initialize', { ...INITIALIZE, protocolVersion: '2099-01-01' }, { token });
    expect(message.result?.protocolVersion).toBe('2025-11-25');
  });

  it('is served whatever version header or session id it shows', async () => {
    verifies('edge.mcp-eras');
    for (const version of ['2025-11-25', '2025-03-26', '2024-11-05', 'banana', '2025-99-99', '']) {
      const headers = { 'mcp-protocol-version': version, 'mcp-session-id': 'gone-with-the-restart' };
      expect((await call('herdr_fs_read', READ, { token, headers })).message.result).toBeDefined();
      expect((await rpc('tools/list', {}, { token, headers })).message.result).toBeDefined();
      expect((await rpc('ping', undefined, { token, headers })).message).toMatchObject({ result: {} });
    }
  });

  it('may send its reserved 2026 keys beside', async () => {
    verifies('edge.mcp-mixed-meta');
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const a = await rpc('initialize', { ...INITIALIZE, _meta: capabilities }, { token });
    const plain = await rpc('initialize', INITIALIZE, { token });
    expect(a.message).toEqual(plain.message);
    const b = await call(
      'herdr_devices',
      {},
      {
        token,
        headers: { 'mcp-protocol-version': '2025-11-25' },
        meta: { 'io.modelcontextprotocol/clientCapabilities': 'junk', 'io.modelcontextprotocol/clientInfo': 7 },
      },
    );
    expect(b.status).toBe(200);
    expect(bodyOf(b)).toMatchObject({ ok: true });
    expect(b.message.result).not.toHaveProperty('resultType');
    const claim = (version: string) => ({ ...capabilities, 'io.modelcontextprotocol/protocolVersion': version });
    const c = await rpc('initialize', { ...INITIALIZE, _meta: claim('2025-11-25') }, { token });
    expect(c.message).toEqual(plain.message);
    // A whole 2026 envelope makes it a 2026 request, and that era has no such method.
    const d = await rpc('initialize', { ...INITIALIZE, _meta: claim('2026-07-28') }, { token });
    expect(d.status).toBeLessThan(500);
    expect([-32601, -32020]).toContain(d.message.error?.code);
  });

  it('has its notifications taken and its unknown methods refused', async () => {
    const noted = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { token });
    expect([noted.status, noted.text]).toEqual([202, '']);
    const unknown = await rpc('resources/list', {}, { token });
    expect(unknown).toMatchObject({ status: 200, message: { error: { code: -32601 } } });
    expect((await rpc('server/discover', {}, { token })).message.error?.code).toBe(-32601);
  });

  it('gets one SSE event when it takes nothing else', async () => {
    const headers = { accept: 'text/event-stream' };
    for (const answer of [
      await rpc('initialize', INITIALIZE, { token, headers }),
      await rpc('tools/list', {}, { token, headers }),
      await rpc('ping', {}, { token, headers }),
      await call('herdr_fs_read', READ, { token, headers }),
    ]) {
      expect(answer.headers.get('content-type')).toBe('text/event-stream');
      expect(answer.text).toMatch(/^event: message\ndata: \{.*\}\n\n$/);
      expect(answer.message.result).toBeDefined();
    }
  });
});

describe('a 2026-era client', () => {
  it('discovers, lists and calls', async () => {
    verifies('edge.mcp-eras');
    const discovered = await modern('server/discover', {}, { token });
    expect(discovered.message.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'herdr-mcp' } },
    });
    const listed = await modern('tools/list', {}, { token });
    expect(listed.message.result).toMatchObject({ resultType: 'complete', tools: CURRENT_PUBLIC.tools });
    const called = await modern('tools/call', { name: 'herdr_fs_read', arguments: READ }, { token });
    expect(bodyOf(called)).toEqual({ ok: true, echo: READ });
    expect(called.message.result).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'herdr-mcp' }, herdr: { delivery: 'delivered' } },
    });
  });

  it('is served under an older version header', async () => {
    verifies('edge.mcp-eras');
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    const params = { name: 'herdr_fs_read', arguments: READ, _meta: ENVELOPE };
    expect((await rpc('tools/call', params, { token, headers })).message.result).toMatchObject({
      resultType: 'complete',
    });
    for (const method of ['tools/list', 'server/discover']) {
      const answer = await rpc(method, { _meta: ENVELOPE }, { token, headers });
      expect(answer.message.result).toMatchObject({ resultType: 'complete' });
    }
    expect((await rpc('resources/list', { _meta: ENVELOPE }, { token, headers })).message.error?.code).toBe(-32601);
  });

  it('is refused as the specification says where body and headers do not fit', async () => {
    verifies('edge.mcp-eras');
    const params = { name: 'herdr_fs_read', arguments: READ, _meta: ENVELOPE };
    const headers = modernHeaders('tools/call', 'herdr_fs_read');
    const cases: Array<[Record<string, unknown>, Record<string, string>, number, number]> = [
      [params, { ...headers, 'mcp-method': 'ping' }, 400, -32020],
      [params, { ...headers, 'mcp-name': 'herdr_exec' }, 400, -32020],
      [params, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }, 400, -32020],
      [params, { 'mcp-protocol-version': '2026-07-28' }, 400, -32020],
      [params, {}, 400, -32020],
      [{ ...params, _meta: undefined }, headers, 400, -32602],
      [{ ...params, _meta: { ...ENVELOPE, 'io.modelcontextprotocol/clientInfo': 7 } }, headers, 400, -32602],
      [
        { ...params, _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } },
        { ...headers, 'mcp-protocol-version': '2027-01-01' },
        400,
        -32022,
      ],
    ];
    for (const [given, shown, status, code] of cases) {
      const answer = await rpc('tools/call', given, { token, headers: shown });
      expect([answer.status, answer.message.error?.code]).toEqual([status, code]);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

describe('bad input', () => {
  it.each<[string, string, number, number]>([
    ['nothing', '', 400, -32700],
    ['broken JSON', '{"jsonrpc":', 400, -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['a number', '7', 400, -32600],
    ['null', 'null', 400, -32600],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['params that are no object', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', 400, -32600],
  ])('%s', async (_, body, status, code) => {
    verifies('edge.mcp-bad-input');
    const answer = await post(body, { token });
    expect([answer.status, answer.message.error?.code]).toEqual([status, code]);
    expect(answer.text).not.toMatch(/at \w+ \(|\.ts|stack|undefined/);
  });

  it('of the wrong kind or size is told so', async () => {
    verifies('edge.mcp-bad-input');
    expect((await post('{}', { token, headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const long = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(BODY_BYTES_MAX) } });
    expect((await post(long, { token })).status).toBe(413);
    const streamed = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(long));
        controller.close();
      },
    });
    const response = await ask('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: streamed,
    });
    expect(response.status).toBe(413);
  });

  it('in a call is a tool result that says what to do, and nothing is sent', async () => {
    verifies('edge.mcp-bad-input');
    const before = link.calls.length;
    const unknown = await call('herdr_fs_raed', {}, { token });
    expect(unknown.message.result).toMatchObject({ isError: true });
    expect(bodyOf(unknown)).toMatchObject({
      ok: false,
      code: 'unknown_tool',
      delivery: 'not_delivered',
      retryable: false,
      close_names: ['herdr_fs_read'],
    });
    expect(bodyOf(await call('herdr_fs_read', { path: 7 }, { token }))).toMatchObject({
      code: 'invalid_params',
      accepted: expect.arrayContaining(['path', 'device']),
      required: ['path'],
    });
    expect(bodyOf(await call('herdr_fs_read', undefined, { token }))).toMatchObject({ code: 'invalid_params' });
    expect(link.calls.length).toBe(before);
    const noName = await rpc('tools/call', { arguments: {} }, { token });
    expect(noName.message.error?.code).toBe(-32602);
  });

  it('twice the same member means the last one, everywhere', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"herdr_fs_read","arguments":{"path":"/a","path":"/b"}}}`;
    expect(bodyOf(await post(body, { token }))).toEqual({ ok: true, echo: { path: '/b' } });
  });

  it('beside the arguments is ignored', async () => {
    const params = { name: 'herdr_fs_read', arguments: READ, task: { ttl: 1 }, shiny: true };
    expect(bodyOf(await rpc('tools/call', params, { token }))).toEqual({ ok: true, echo: READ });
  });

  it('of another verb is 405', async () => {
    const response = await ask('/mcp', { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
  });

  it('from a result that is none is an internal error without its bytes', async () => {
    const kept = link.onCall;
    link.onCall = ({ call: { dispatch_id } }) => link.answer(dispatch_id, new TextEncoder().encode('secret bytes'));
    const answer = await call('herdr_fs_read', READ, { token });
    link.onCall = kept;
    expect(answer.message.error?.code).toBe(-32603);
    expect(answer.text).not.toContain('secret bytes');
  });
});

describe('GET /mcp', () => {
  it('stays open with keep-alives and ends with its reader', async () => {
    verifies('edge.mcp-get-stream');
    const response = await ask('/mcp', { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toBe(': keep-alive\n\n');
    const next = reader.read();
    const still = await Promise.race([
      next.then(() => 'ended'),
      new Promise((resolve) => setTimeout(() => resolve('open'), 100)),
    ]);
    expect(still).toBe('open');
    await reader.cancel();
    expect(
      await next.then(
        ({ done }) => done,
        () => true,
      ),
    ).toBe(true);
  });
});

describe('about this edge', () => {
  it('/health and /info name stage, both contracts and their state', async () => {
    verifies('edge.info');
    expect(await (await ask('/health')).json()).toMatchObject({
      ok: true,
      stage: 'dev',
      edge_version: manifest.version,
      public_contract: { epoch: 8, hash: CURRENT_PUBLIC.hash },
      runtime_contract: { epoch: 5, hash: CURRENT_RUNTIME.hash },
    });
    expect(await (await ask('/info')).json()).toMatchObject({
      stage: 'dev',
      edge_version: manifest.version,
      public_contract: { epoch: 8, state: EPOCH_STATE.public, tools: 19 },
      runtime_contract: { epoch: 5, state: EPOCH_STATE.runtime },
      accepted_runtime_contracts: [{ epoch: 2 }, { epoch: 4 }, { epoch: 5 }],
    });
  });

  it('/status tells a caller or a paired device about a workstation, and nobody else', async () => {
    const path = `/status/${rig.device.deviceId}`;
    expect((await ask(path)).status).toBe(401);
    const seen = await (await ask(path, { headers: { authorization: `Bearer ${token}` } })).json();
    expect(seen).toMatchObject({ ok: true, connection: 'online', runtime: { contract_epoch: 5 }, active_calls: 0 });
    expect(await (await rig.device.get(path)).json()).toMatchObject({ connection: 'online' });
    expect((await ask('/status/nobody', { headers: { authorization: `Bearer ${token}` } })).status).toBe(404);
  });

  it('what is not served is a 404 in JSON', async () => {
    const response = await ask('/nothing/here');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ ok: false, code: 'not_found', path: '/nothing/here' });
    expect((await ask('/mcpx')).status).toBe(404);
  });
});

function raw(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return ask('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
