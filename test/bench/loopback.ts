/** P2: the same read straight at the runtime's loopback MCP port, through the SDK's client on both sides. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { compareCompiled, summary, times } from './measure.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import { type Row, ratioRow } from './table.ts';

export async function readOverLoopback(stage: Stage): Promise<Row> {
  const path = join(stage.repository, SAMPLE_FILE);
  const client = await connect(`http://127.0.0.1:${stage.product.runtimePort}/mcp`, stage.runtimeToken);
  const answer = await client.callTool({ name: 'herdr_fs_read', arguments: { path } });
  if (!JSON.stringify(answer).includes('quick brown fox')) throw new Error(`not the file: ${JSON.stringify(answer)}`);
  const server = await bareServer(JSON.stringify({ content: answer.content }));
  const floor = await connect(server.url, 'none');
  const peer = await filesystemServer(stage.repository);
  try {
    const comparison = await compareCompiled({
      ours: () => client.callTool({ name: 'herdr_fs_read', arguments: { path } }),
      floor: () => floor.callTool({ name: 'read', arguments: { path } }),
    });
    await times(() => peer.callTool({ name: 'read_text_file', arguments: { path } }), 100);
    const beside = summary(await times(() => peer.callTool({ name: 'read_text_file', arguments: { path } }), 200));
    return ratioRow(
      { id: 'P2', what: 'herdr_fs_read of 1.5 kB, loopback MCP', beside: 'node:http server, same bytes' },
      comparison,
      { p50: 1.4 },
      {
        'ratio over the first 600 calls': comparison.young.toFixed(2),
        'server-filesystem over stdio p50/p95 ms': `${beside.p50.toFixed(2)}/${beside.p95.toFixed(2)}`,
      },
    );
  } finally {
    await Promise.all([client.close(), floor.close(), peer.close()]);
    await server.close();
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

/** The floor: the same bytes from a server that does nothing but answer, across a process border as ours is. */
async function bareServer(result: string): Promise<{ url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floor', 'http.js'), result], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    url: `http://127.0.0.1:${port.trim()}/mcp`,
    close: async () => {
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
}
