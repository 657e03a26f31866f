import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { keptConnections, post } from './post.ts';

const IDLE_MS = 50;
const opened: Server[] = [];

/** Answers each POST after `afterMs`, tells of each connection, and never closes one by itself nor says when it would. */
async function patientServer(afterMs: number): Promise<{ url: string; connections: Socket[] }> {
  const connections: Socket[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    request.resume();
    await sleep(afterMs);
    response.end('well');
  });
  server.on('connection', (socket) => connections.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

it('ends a connection that idles before the server may, and the next call opens another', async () => {
  verifies('bench.harness');
  const { url, connections } = await patientServer(0);
  const agent = keptConnections(IDLE_MS);
  await post(url, 'a', {}, agent);
  await post(url, 'b', {}, agent);
  expect(connections).toHaveLength(1);
  await once(connections[0] as Socket, 'close');
  expect((await post(url, 'c', {}, agent)).toString()).toBe('well');
  expect(connections).toHaveLength(2);
  agent.destroy();
});

it('waits for an answer longer than a connection may idle', async () => {
  verifies('bench.harness');
  const { url, connections } = await patientServer(4 * IDLE_MS);
  const agent = keptConnections(IDLE_MS);
  expect((await post(url, 'a', {}, agent)).toString()).toBe('well');
  expect(connections).toHaveLength(1);
  agent.destroy();
});
