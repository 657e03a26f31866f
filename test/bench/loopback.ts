/** P2: the same read straight at the runtime's loopback MCP port, through the SDK's client on both sides. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { compare, summary, times } from './measure.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import { type Row, ratioRow } from './table.ts';

export async function readOverLoopback(stage: Stage): Promise<Row> {
  const path = join(stage.repository, SAMPLE_FILE);
  const client = await connect(`http://127.0.0.1:${stage.product.runtimePort}/mcp`, stage.runtimeToken);
  const answer = await client.callTool({ name: 'herdr_fs_read', arguments: { path } });
  if (!JSON.stringify(answer).includes('quick brown fox')) throw new Error(`not the file: ${JSON.stringify(answer)}`);
  const server = await bareServer(JSON.stringify({ content: answer.content }));
  const floor = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, 'none');
  const peer = await filesystemServer(stage.repository);
  try {
    const comparison = await compare({
      ours: () => client.callTool({ name: 'herdr_fs_read', arguments: { path } }),
      floor: () => floor.callTool({ name: 'read', arguments: { path } }),
      calls: 200,
      warmUp: 200,
    });
    await times(() => peer.callTool({ name: 'read_text_file', arguments: { path } }), 100);
    const beside = summary(await times(() => peer.callTool({ name: 'read_text_file', arguments: { path } }), 200));
    return ratioRow(
      { id: 'P2', what: 'herdr_fs_read of 1.5 kB, loopback MCP', beside: 'node:http server, same bytes' },
      comparison,
      { p50: 1.4 },
      { 'server-filesystem over stdio p50/p95 ms': `${beside.p50.toFixed(2)}/${beside.p95.toFixed(2)}` },
    );
  } finally {
    await Promise.all([client.close(), floor.close(), peer.close()]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  return client;
}

async function filesystemServer(root: string): Promise<Client> {
  const entry = import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [new URL(entry).pathname, root], stderr: 'ignore' }),
  );
  return client;
}

/** The floor: the same bytes from a server that does nothing but answer. */
async function bareServer(result: string): Promise<Server> {
  const hello = JSON.stringify({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'floor', version: '1' },
  });
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(text);
      if (id === undefined) return void response.writeHead(202).end();
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${method === 'initialize' ? hello : result}}`;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
