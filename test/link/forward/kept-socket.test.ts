import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallEnvelope } from '../../../contract/call.ts';
import type { Exchanged } from '../../../link/forward/exchange.ts';
import { KeptSockets } from '../../../link/forward/kept-sockets.ts';
import { RuntimeClient } from '../../../link/forward/runtime-client.ts';
import { verifies } from '../../verifies.ts';

let server: Server;
let endpoint: string;
let sockets: KeptSockets;
/** Whether the process behind the port is one of ours. */
let served: boolean;
/** What the server does with each request. */
let answer: (socket: Socket, request: string) => void;
let connections: Socket[];
beforeEach(async () => {
  connections = [];
  server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined); // the tests cut
    socket.on('data', (bytes) => answer(socket, bytes.toString('latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  served = true;
  sockets = new KeptSockets(() => served);
});
afterEach(() => {
  sockets.close();
  for (const socket of connections) socket.destroy();
  server.close();
});

const head = 'POST /call HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n';
const post = (more: { timeoutMs?: number; maxBytes?: number; reserve?: (bytes: number) => boolean } = {}) =>
  sockets.post(endpoint, {
    head,
    body: [Buffer.from('ab'), Buffer.from('cd')],
    timeoutMs: 20_000,
    maxBytes: 1_000,
    ...more,
  });
const told = (exchanged: Exchanged) =>
  exchanged.kind === 'answer' ? `${exchanged.status} ${exchanged.bytes.toString('latin1')}` : exchanged.kind;

describe('an answer', () => {
  it.each([
    ['in one piece', ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'], '200 hello'],
    ['byte by byte', [...'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'], '200 hello'],
    ['without a body', ['HTTP/1.1 204 No Content\r\n\r\n'], '204 '],
    [
      'in chunks',
      ['HTTP/1.1 503 x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n', '0\r\n\r\n'],
      '503 hello',
    ],
    ['longer than announced', ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello!'], 'lost'],
    ['of unknown length', ['HTTP/1.1 200 OK\r\n\r\nhello'], 'lost'],
    ['that is no HTTP', [`${'x'.repeat(20_000)}`], 'lost'],
    ['above the limit', [`HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n${'x'.repeat(10)}`], 'too_large'],
  ])('%s', async (_, pieces, expected) => {
    verifies('link.malformed');
    answer = async (socket) => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    expect(told(await post())).toBe(expected);
  });

  it('for which there is no room is said to be too large', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
    expect(await post({ reserve: () => false })).toMatchObject({ kind: 'too_large', size: 5 });
  });
});

describe('a connection', () => {
  it('carries one call after the other, and as many stand side by side as calls run', async () => {
    const seen: string[] = [];
    answer = (socket, request) => {
      seen.push(request);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    };
    for (let i = 0; i < 5; i++) expect(told(await post())).toBe('200 ok');
    expect(connections).toHaveLength(1);
    expect(new Set(seen)).toEqual(new Set([`${head}abcd`]));
    await Promise.all([post(), post(), post()]);
    expect(connections).toHaveLength(3);
  });

  it('that cannot be made proves that nothing was sent; one that breaks proves nothing', async () => {
    verifies('link.outcome-table');
    answer = (socket) => socket.destroy();
    expect((await post()).kind).toBe('lost');
    answer = () => undefined;
    expect((await post({ timeoutMs: 20 })).kind).toBe('lost');
    for (const socket of connections) socket.destroy();
    server.close();
    await once(server, 'close');
    expect((await post()).kind).toBe('not_sent');
  });

  it('that the other end closed while it was idle is not used again', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    await post();
    const [first] = connections;
    first?.end();
    await once(first as Socket, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(told(await post())).toBe('200 ok');
    expect(connections).toHaveLength(2);
  });

  it('whose answer says close is not used again', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
    expect(told(await post())).toBe('200 ok');
    expect(told(await post())).toBe('200 ok');
    expect(connections).toHaveLength(2);
  });
});

describe('a port that another process has taken', () => {
  it('gets no byte of a call and no token, and the call was not handed over', async () => {
    verifies('link.squatter', 'link.outcome-table');
    served = false;
    let heard = '';
    answer = (socket, request) => {
      heard += request;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    };
    expect(await post()).toEqual({ kind: 'not_sent', message: 'another process has its port' });
    const client = new RuntimeClient(
      async () => 'the-token',
      () => served,
    );
    const envelope = { dispatch_id: 'd_0' } as CallEnvelope;
    const bounds = { timeoutMs: 20_000, reserve: () => true };
    expect(await client.facts(endpoint)).toBe('gone');
    expect(await client.held(endpoint)).toBeUndefined();
    expect((await client.call(endpoint, envelope, new Uint8Array(), bounds)).kind).toBe('not_sent');
    expect((await client.join(endpoint, 'd_0', bounds)).kind).toBe('not_sent');
    expect(heard).toBe('');
    served = true;
    await client.facts(endpoint);
    expect(heard).toContain('Bearer the-token');
    client.close();
  });
});
