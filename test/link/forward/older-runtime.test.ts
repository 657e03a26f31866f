import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallEnvelope } from '../../../contract/call.ts';
import { packHead, unpackCall } from '../../../contract/link/index.ts';
import { RuntimeClient } from '../../../link/forward/runtime-client.ts';
import { STREAM_OPEN_MS } from '../../../link/limits.ts';
import { verifies } from '../../verifies.ts';

/** A generation of a revision that knows no stream: Node answers an upgrade that nobody listens for as a request. */
let server: Server;
let client: RuntimeClient;
let ran: string[];
beforeEach(async () => {
  ran = [];
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const known = request.url === '/call' && request.method === 'POST';
      const status = request.headers.authorization !== 'Bearer the-token' ? 401 : known ? 200 : 404;
      if (status !== 200) {
        // In two steps and without a length, as a body that is streamed leaves; the connection stays open.
        response.writeHead(status, { 'content-type': 'application/json' });
        response.write('{"ok":false,');
        response.end('"code":"not_found","message":"There is no such route."}');
        return;
      }
      const call = unpackCall(Buffer.concat(pieces));
      if (!call.ok) throw new Error(call.message);
      ran.push(call.envelope.dispatch_id);
      const body = Buffer.from('{}');
      const { dispatch_id } = call.envelope;
      response.write(packHead({ dispatch_id, delivery: 'delivered', ok: true, size: body.length }));
      response.end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new RuntimeClient(
    async () => 'the-token',
    () => true,
  );
});
afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const envelope = (n: number): CallEnvelope => ({
  dispatch_id: `d_${String(n).padStart(32, '0')}`,
  device_id: 'dev_1',
  principal: { id: 'local', kind: 'local', label: 'test' },
  contract_epoch: 1,
  tool: 'herdr_inspect',
  class: 'read',
  deadline_ms: 20_000,
});

describe('a generation that knows no stream of calls', () => {
  it('gets each call as a request of its own, and none waits', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = (n: number) =>
      client.call(
        endpoint,
        envelope(n),
        Buffer.from('{}'),
        // Shorter than the patience with a runtime that says nothing: whoever waits for that is lost.
        { timeoutMs: STREAM_OPEN_MS / 2, reserve: () => true },
      );
    const answers = await Promise.all([call(1), call(2), call(3)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['result', 'result', 'result']);
    expect((await call(4)).kind).toBe('result');
    expect(ran.toSorted().map((id) => id.at(-1))).toEqual(['1', '2', '3', '4']);
  });
});
