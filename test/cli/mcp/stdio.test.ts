import { createServer } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRelay } from '../../../cli/mcp/relay.ts';
import { LocalError } from '../../../local/error/index.ts';
import { writePointer } from '../../../runtime-a-b/generations/index.ts';
import { build } from '../../../scripts/build/index.ts';
import { type TestRuntime, tempFolder, testRuntime } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';
import { COMMAND } from '../fake-edge.ts';

const folder = tempFolder();
let rt: TestRuntime;

beforeAll(async () => {
  await build({ parts: ['node'] });
  rt = await testRuntime({ stateDir: `${folder.path}/state` });
  await writePointer(rt.stateDir, { schema: 1, generation: 'a', port: rt.runtime.record.port, revision: 1 });
});
afterAll(async () => {
  await rt.end();
  folder.remove();
});

const command = () => ({
  command: process.execPath,
  args: [COMMAND, 'mcp'],
  env: { ...(process.env as Record<string, string>), HERDR_MCP_STATE_DIR: rt.stateDir },
  stderr: 'pipe' as const,
});
type Called = { content?: unknown; isError?: unknown };
const textOf = (called: Called) => JSON.parse((called.content as { text: string }[])[0]?.text ?? '{}') as object;

describe('herdr-mcp mcp', () => {
  it('serves the runtime’s tools to a client of today over stdio, many calls at once', async () => {
    verifies('runtime.stdio', 'runtime.loopback');
    const client = new Client({ name: 'local client', version: '1' });
    await client.connect(new StdioClientTransport(command()));
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(18);
    const called = await Promise.all(
      ['herdr_mcp.skill.list', 'herdr_mcp.dispatch.status', 'herdr_mcp.capability.inventory'].map((method) =>
        client.callTool({ name: 'herdr_call', arguments: { method } }),
      ),
    );
    expect(called.map((one) => textOf(one))).toMatchObject([
      { ok: true, method: 'herdr_mcp.skill.list' },
      { ok: true, method: 'herdr_mcp.dispatch.status' },
      { ok: true, method: 'herdr_mcp.capability.inventory', records: [] },
    ]);
    const refused = await client.callTool({ name: 'herdr_fs_read', arguments: { path: '/etc/passwd' } });
    expect(textOf(refused)).toMatchObject({ ok: false });
    await client.close();
  }, 120_000);

  it('serves the older client as well', async () => {
    const client = new ClientV1({ name: 'older client', version: '1' });
    await client.connect(new StdioV1(command()));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('herdr_exec');
    const answer = await client.callTool({ name: 'herdr_methods', arguments: { query: 'skill' } });
    expect(textOf(answer as Called)).toMatchObject({ ok: true, count: 3 });
    await client.close();
  }, 120_000);
});

describe('the relay', () => {
  const said: Record<string, unknown>[] = [];
  const write = (message: string) => {
    expect(message).not.toContain('\n');
    said.push(JSON.parse(message) as Record<string, unknown>);
  };
  const call = (id: number, name: string, args: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  async function closedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  const door = (port: number) => async () => ({ url: `http://127.0.0.1:${port}/mcp`, token: 't', release: () => {} });

  it('without a runtime says that nothing was sent, as a tool’s result and as a protocol error', async () => {
    said.length = 0;
    for (const closed of [async () => undefined, door(await closedPort())]) {
      const relay = createRelay({ door: closed, write });
      await relay(call(1, 'herdr_exec', { workspace: 'w', command: 'true' }));
      await relay('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
      await relay('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    }
    const results = said.filter(({ result }) => result !== undefined).map(({ result }) => textOf(result as Called));
    expect(results).toEqual(
      Array.from({ length: 2 }, () =>
        expect.objectContaining({ code: 'runtime_unavailable', delivery: 'not_delivered', retryable: true }),
      ),
    );
    expect(said.filter(({ error }) => error !== undefined).map(({ id }) => id)).toEqual([2, 2]);
  });

  it('a state folder that cannot be trusted at the moment is told to whoever calls, and the next call is tried', async () => {
    said.length = 0;
    const trouble = new LocalError('insecure', 'Others can read the token.', 'Take their rights away.');
    const relay = createRelay({ door: () => Promise.reject(trouble), write });
    await relay(call(1, 'herdr_inspect'));
    await relay(call(2, 'herdr_fs_write', { path: '/p/x', content: 'y' }));
    expect(said.map(({ id }) => id)).toEqual([1, 2]);
    for (const { result } of said) {
      expect(textOf(result as Called)).toMatchObject({
        code: 'runtime_unavailable',
        delivery: 'not_delivered',
        message: expect.stringContaining('Others can read the token.'),
        next: 'Take their rights away.',
      });
    }
  });

  it('a call whose runtime goes away is unknown, never repeated, and a write is not called retryable', async () => {
    verifies('runtime.stdio', 'dispatch.at-most-once');
    said.length = 0;
    let arrived = 0;
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        arrived += 1;
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const relay = createRelay({ door: door((server.address() as { port: number }).port), write });
    await relay(call(1, 'herdr_fs_write', { path: '/p/x', content: 'y' }));
    server.close();
    expect(arrived).toBe(1);
    expect(textOf(said[0]?.result as Called)).toMatchObject({
      code: 'delivery_uncertain',
      delivery: 'unknown',
      retryable: false,
      next: expect.stringContaining('herdr_mcp.dispatch.status'),
    });
  });

  it('answers what is no message with an error, and each line with one line', async () => {
    said.length = 0;
    const relay = createRelay({ door: async () => undefined, write });
    for (const line of ['', '  ', 'no json', '[1,2]', '"text"']) await relay(line);
    expect(said.map(({ error }) => (error as { code: number }).code)).toEqual([-32700, -32700, -32700]);
  });
});
