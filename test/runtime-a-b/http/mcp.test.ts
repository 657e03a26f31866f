import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { CURRENT_RUNTIME } from '../../../contract/epochs/index.ts';
import { verifies } from '../../verifies.ts';
import { herdr, rt } from './runtime.ts';

const requestInit = () => ({ headers: { authorization: `Bearer ${rt.token}` } });
const rpc = (body: unknown, headers: Record<string, string> = {}) =>
  rt.fetch('/mcp', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
const call = (name: string, args: unknown, meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
});

describe('the loopback MCP door', () => {
  it.each([
    ['the 2025 era', {}],
    ['the 2026 era', { versionNegotiation: { mode: 'auto' as const } }],
  ])('serves the v2 client in %s', async (_, options) => {
    verifies('runtime.loopback');
    const client = new Client({ name: 'test', version: '1' }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${rt.url}/mcp`), { requestInit: requestInit() }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(CURRENT_RUNTIME.tools.map(({ name }) => name));
    const result = await client.callTool({ name: 'herdr_inspect', arguments: {} });
    const [block] = result.content as { type: string; text: string }[];
    expect(JSON.parse(block?.text ?? '')).toMatchObject({ ok: true });
    expect(result.structuredContent).toBeUndefined();
    await client.close();
  });

  it('serves the v1 client', async () => {
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(
      new TransportV1(new URL(`${rt.url}/mcp`), { requestInit: requestInit() }) as Parameters<ClientV1['connect']>[0],
    );
    expect((await client.listTools()).tools).toHaveLength(18);
    const result = await client.callTool({ name: 'herdr_since', arguments: { cursor: 0 } });
    expect(result.isError).toBe(false);
    await client.close();
  });

  it('splices the same result into both eras; only the modern one carries its marks', async () => {
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'm', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const legacy = (await (await rpc(call('herdr_methods', { query: 'ping' }))).json()) as { result: object };
    const newer = (await (
      await rpc(call('herdr_methods', { query: 'ping' }, modern), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'herdr_methods',
      })
    ).json()) as { result: Record<string, unknown> };
    const { resultType, _meta, ...rest } = newer.result;
    expect(rest).toEqual(legacy.result);
    expect(resultType).toBe('complete');
    expect(_meta).toMatchObject({ 'io.modelcontextprotocol/serverInfo': { name: 'herdr-mcp' } });
    expect(Object.keys(legacy.result)).toEqual(['content', 'isError']);
  });

  it('takes reserved _meta keys of a 2025 request for opaque', async () => {
    verifies('edge.mcp-mixed-meta');
    const junk = { 'io.modelcontextprotocol/clientCapabilities': 'junk', 'io.modelcontextprotocol/clientInfo': 7 };
    const answer = (await (
      await rpc(call('herdr_inspect', {}, junk), { 'mcp-protocol-version': '2025-11-25' })
    ).json()) as { result: object };
    expect(answer.result).toMatchObject({ isError: false });
    expect(answer.result).not.toHaveProperty('resultType');
  });

  it('tells a tool’s errors as tool results, and the protocol’s as JSON-RPC errors', async () => {
    const unknown = (await (await rpc(call('no_such_tool', {}))).json()) as { result: { isError: boolean } };
    expect(unknown.result.isError).toBe(true);
    expect((await rpc('{nonsense')).status).toBe(400);
    expect(await (await rpc('{nonsense')).json()).toMatchObject({ error: { code: -32700 } });
    expect(await (await rpc([call('herdr_inspect', {})])).json()).toMatchObject({ error: { code: -32600 } });
    expect((await rpc('x'.repeat(1_100_000))).status).toBe(413);
    expect((await rpc({ jsonrpc: '2.0', id: 9, method: 'no/such' })).status).toBeLessThan(500);
    expect((await rpc({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  it('ignores a session id that nobody issued', async () => {
    expect((await rpc(call('herdr_inspect', {}), { 'mcp-session-id': 'ms_unknown' })).status).toBe(200);
  });

  it('records its writes under the principal of the workstation itself', async () => {
    herdr.methods['pane.send_text'] = () => ({ type: 'ok' });
    await rpc(call('herdr_call', { method: 'pane.send_text', params: '{"pane_id":"w1:p1","text":"x"}' }));
    const answer = (await (
      await rpc(call('herdr_call', { method: 'herdr_mcp.dispatch.status', params: '{"last":1}' }))
    ).json()) as { result: { content: { text: string }[] } };
    expect(JSON.parse(answer.result.content[0]?.text ?? '')).toMatchObject({
      dispatches: [{ method: 'pane.send_text', principal: 'loopback client' }],
    });
  });
});
