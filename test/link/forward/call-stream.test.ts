import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallEnvelope } from '../../../contract/call.ts';
import { onePiece, PieceReader, piecesOf } from '../../../contract/link/index.ts';
import type { Streamed } from '../../../link/forward/call-stream.ts';
import { CallStreams } from '../../../link/forward/call-streams.ts';
import { RuntimeClient } from '../../../link/forward/runtime-client.ts';
import { verifies } from '../../verifies.ts';
import { until } from '../support/workstation.ts';

const TAKEN = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n';

let server: Server;
let endpoint: string;
let streams: CallStreams;
/** Whether the process behind the port is one of ours. */
let served: boolean;
/** What the server says to the upgrade. */
let greet: (socket: Socket, request: string) => void;
/** What it does with each message, which comes in one piece here. */
let answer: (socket: Socket, number: number, text: string) => void;
let connections: Socket[];
let requests: string[];
beforeEach(async () => {
  connections = [];
  requests = [];
  greet = (socket) => socket.write(TAKEN);
  answer = (socket, number) => socket.write(onePiece(number, 200, [Buffer.from('ok')]));
  server = createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => undefined); // the tests cut
    let number = 0;
    const reader = new PieceReader({
      head: (head) => {
        number = head.number;
        return true;
      },
      bytes: (view) => answer(socket, number, Buffer.from(view).toString()),
    });
    socket.once('data', (bytes: Buffer) => {
      requests.push(bytes.toString('latin1'));
      greet(socket, bytes.toString('latin1'));
      socket.on('data', (more: Buffer) => reader.push(more));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  served = true;
  streams = new CallStreams(() => served);
});
afterEach(() => {
  streams.close();
  for (const socket of connections) socket.destroy();
  server.close();
});

interface Bounds {
  timeoutMs?: number;
  maxBytes?: number;
  reserve?: (bytes: number) => boolean;
}
const post = (text = 'abcd', more: Bounds = {}) =>
  streams.post(endpoint, 'the-token', {
    body: [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))],
    timeoutMs: 20_000,
    maxBytes: 1_000,
    ...more,
  });
const told = (exchanged: Streamed) =>
  exchanged.kind === 'answer' ? `${exchanged.status} ${exchanged.bytes.toString('latin1')}` : exchanged.kind;
const head = (number: number, status: number, total: number, size: number) => {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(number, 0);
  bytes.writeUInt16BE(status, 4);
  bytes.writeUInt32BE(total, 8);
  bytes.writeUInt32BE(size, 12);
  return bytes;
};
const bytewise = async (socket: Socket, bytes: Uint8Array) => {
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
};

describe('an answer', () => {
  it('comes back under its number, whatever the order and the cuts', async () => {
    verifies('link.call-stream');
    const waiting: [Socket, number, string][] = [];
    answer = (...one) => waiting.push(one);
    const asked = ['first', 'second', 'third'].map((text) => post(text));
    await until(() => waiting.length === 3);
    for (const [socket, number, text] of waiting.reverse())
      await bytewise(socket, onePiece(number, 200, [Buffer.from(text.toUpperCase())]));
    expect((await Promise.all(asked)).map(told)).toEqual(['200 FIRST', '200 SECOND', '200 THIRD']);
    expect(connections).toHaveLength(1);
  });

  it('of another status is one too, also right behind the upgrade', async () => {
    greet = (socket) => socket.write(Buffer.concat([Buffer.from(TAKEN), onePiece(1, 503, [Buffer.from('later')])]));
    answer = () => undefined;
    expect(told(await post())).toBe('503 later');
  });

  it('in pieces is put together while small ones pass between', async () => {
    verifies('link.call-stream', 'link.fairness');
    const big = Buffer.alloc(600_000, 'b');
    const waiting = new Map<string, [Socket, number]>();
    answer = (socket, number, text) => waiting.set(text, [socket, number]);
    const large = post('large', { maxBytes: 1_000_000 });
    const small = post('small');
    await until(() => waiting.size === 2);
    const [socket, number] = waiting.get('large') as [Socket, number];
    const [first, ...rest] = [...piecesOf(number, 200, [big])];
    for (const bytes of first ?? []) socket.write(bytes);
    socket.write(onePiece((waiting.get('small') as [Socket, number])[1], 200, [Buffer.from('quick')]));
    expect(told(await small)).toBe('200 quick');
    for (const piece of rest) for (const bytes of piece) socket.write(bytes);
    expect(await large).toMatchObject({ kind: 'answer', status: 200, bytes: big });
  });

  it('above the limit, or without room, is not kept, and shows its beginning; others go on', async () => {
    verifies('link.call-stream', 'link.large-results');
    answer = (socket, number, text) => socket.write(onePiece(number, 200, [Buffer.from(text.repeat(300))]));
    const bounds: Bounds[] = [{ maxBytes: 1_100 }, { maxBytes: 2_000, reserve: () => false }];
    for (const bound of bounds) {
      const exchanged = await post('long', bound);
      expect(exchanged).toMatchObject({ kind: 'too_large', status: 200, size: 1_200 });
      expect(exchanged.kind === 'too_large' && exchanged.head.toString('latin1', 0, 8)).toBe('longlong');
    }
    expect(told(await post('x'))).toBe(`200 ${'x'.repeat(300)}`);
    expect(connections).toHaveLength(1);
  });

  it('without room tells what became of the call however its bytes were cut', async () => {
    verifies('link.call-stream', 'link.large-results');
    answer = (socket, number) => {
      const bytes = onePiece(number, 200, [Buffer.from('the beginning'.repeat(9))]);
      socket.write(bytes.subarray(0, 20));
      setTimeout(() => socket.write(bytes.subarray(20)), 30);
    };
    const exchanged = await post('long', { reserve: () => false });
    expect(exchanged).toMatchObject({ kind: 'too_large', size: 117 });
    expect(exchanged.kind === 'too_large' && exchanged.head.toString('latin1')).toBe('the beginning'.repeat(9));
  });

  it('that is announced far above every limit is not read; what else waits there is lost', async () => {
    verifies('link.call-stream');
    answer = (socket, number, text) => {
      if (text === 'huge') socket.write(head(number, 200, 1_000_000_000, 16));
    };
    const other = post('other');
    expect(await post('huge')).toMatchObject({ kind: 'too_large', size: 1_000_000_000 });
    expect(told(await other)).toBe('lost');
  });

  it.each([
    ['nothing at all', (number: number) => head(number, 200, 0, 0)],
    ['a piece longer than its message', (number: number) => head(number, 200, 4, 5)],
    [
      'a message that changes its length',
      (number: number) => Buffer.concat([head(number, 200, 8, 4), Buffer.from('1234'), head(number, 200, 9, 4)]),
    ],
    [
      'more than was announced',
      (number: number) => Buffer.concat([head(number, 200, 8, 6), Buffer.from('123456'), head(number, 200, 8, 4)]),
    ],
  ])('%s proves nothing about the call', async (_, bytes) => {
    verifies('link.call-stream', 'link.malformed');
    answer = (socket, number) => socket.write(bytes(number));
    expect(told(await post('abcd', { timeoutMs: 600_000 }))).toBe('lost');
  });

  it('that comes after it was given up goes nowhere', async () => {
    verifies('link.call-stream');
    const waiting: [Socket, number][] = [];
    answer = (socket, number, text) => {
      if (text === 'slow') waiting.push([socket, number]);
      else socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    expect(told(await post())).toBe('200 ok');
    const slow = post('slow', { timeoutMs: 200 });
    expect(told(await post())).toBe('200 ok');
    expect(told(await slow)).toBe('lost');
    const [socket, number] = waiting[0] as [Socket, number];
    socket.write(onePiece(number, 200, [Buffer.from('late')]));
    expect(told(await post('next'))).toBe('200 ok');
    expect(connections).toHaveLength(1);
  });
});

describe('a stream', () => {
  it('is opened once for all calls, with the bearer, and sends nothing before it was taken', async () => {
    verifies('link.call-stream');
    let take = () => {};
    let seen = 0;
    greet = (socket) => (take = () => void socket.write(TAKEN));
    answer = (socket, number) => {
      seen += 1;
      socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    const asked = [post(), post()];
    await until(() => requests.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toBe(0);
    take();
    expect((await Promise.all(asked)).map(told)).toEqual(['200 ok', '200 ok']);
    expect(requests).toHaveLength(1);
    const port = endpoint.split(':').at(-1);
    expect(requests[0]).toBe(
      `GET /calls HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer the-token\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n`,
    );
  });

  it('carries a request of more than one piece', async () => {
    let got = 0;
    answer = (socket, number, text) => {
      got += text.length;
      if (got === 700_000) socket.write(onePiece(number, 200, [Buffer.from('all of it')]));
    };
    expect(told(await post('y'.repeat(700_000)))).toBe('200 all of it');
  });

  it('lets a small request pass between the pieces of large ones', async () => {
    verifies('link.call-stream', 'link.fairness');
    let before = 0;
    answer = (socket, number, text) => {
      if (text === 'small') socket.write(onePiece(number, 200, [Buffer.from(`after ${before}`)]));
      else before += text.length;
    };
    const large = Array.from({ length: 12 }, () => post('L'.repeat(1_000_000)));
    const [, bytes] = told(await post('small')).split('200 after ');
    expect(Number(bytes)).toBeLessThan(6_000_000);
    streams.close();
    await Promise.all(large);
  });

  it('on which nothing came for as long as a call waited is given up with all that waits in it', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    answer = () => undefined;
    const silent = [post('abcd', { timeoutMs: 40 }), post('efgh')];
    expect((await Promise.all(silent)).map(told)).toEqual(['lost', 'lost']);
    answer = (socket, number, text) => {
      if (text !== 'slow') socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    expect(told(await post('next'))).toBe('200 ok');
    expect(connections).toHaveLength(2);
    const slow = post('slow', { timeoutMs: 200 });
    expect(told(await post('while it waits'))).toBe('200 ok');
    expect(told(await slow)).toBe('lost');
    expect(told(await post('still there'))).toBe('200 ok');
    expect(connections).toHaveLength(2);
  });

  it('is not opened by a call that comes after the link closed', async () => {
    verifies('link.call-stream');
    streams.close();
    expect(await post()).toEqual({ kind: 'not_sent', message: 'the link is closing' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(connections).toHaveLength(0);
  });

  it('that cannot be made, or is not taken, proves that nothing was sent; one that breaks proves nothing', async () => {
    verifies('link.outcome-table');
    answer = (socket) => socket.destroy();
    expect(told(await post())).toBe('lost');
    answer = () => undefined;
    expect(told(await post('abcd', { timeoutMs: 20 }))).toBe('lost');
    greet = () => undefined;
    expect(told(await post('abcd', { timeoutMs: 20 }))).toBe('not_sent');
    streams.close();
    streams = new CallStreams(() => served);
    greet = (socket) => socket.destroy();
    expect(told(await post())).toBe('not_sent');
    greet = (socket) => socket.write('x'.repeat(100_000));
    expect(told(await post())).toBe('not_sent');
    for (const socket of connections) socket.destroy();
    server.close();
    await once(server, 'close');
    expect(told(await post())).toBe('not_sent');
  });

  it('that ended while it was idle is not used again', async () => {
    await post();
    const [first] = connections;
    first?.end();
    await once(first as Socket, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(told(await post())).toBe('200 ok');
    expect(connections).toHaveLength(2);
  });

  it('that the runtime ends is over, also while more waits to be sent than it reads', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    await post();
    const [socket] = connections;
    socket?.pause();
    const large = Array.from({ length: 24 }, () => post('L'.repeat(1_000_000), { timeoutMs: 600_000 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket?.end();
    expect((await Promise.all(large)).map(told)).toEqual(large.map(() => 'lost'));
  });

  it('whose port cannot be told to be ours gets nothing', async () => {
    verifies('link.squatter', 'link.outcome-table');
    const unsure = new CallStreams(() => {
      throw new Error('too many open files');
    });
    const wish = { body: [Buffer.from('x')], timeoutMs: 20_000, maxBytes: 9 };
    expect(await unsure.post(endpoint, 'the-token', wish)).toEqual({
      kind: 'not_sent',
      message: 'too many open files',
    });
    expect(requests).toEqual([]);
    const client = new RuntimeClient(
      async () => 'the-token',
      () => {
        throw new Error('too many open files');
      },
    );
    expect(await client.facts(endpoint)).toBe('gone');
    client.close();
  });

  it('that is refused answers each call with that refusal', async () => {
    verifies('link.call-stream');
    greet = (socket) => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    expect((await Promise.all([post(), post()])).map(told)).toEqual(['401 {}', '401 {}']);
    greet = (socket) => socket.write(TAKEN);
    expect(told(await post())).toBe('200 ok');
  });

  it('whose bearer is refused is opened again with the one that stands there now', async () => {
    verifies('link.call-stream');
    let token = 'old';
    greet = (socket, request) => {
      if (request.includes('Bearer new')) socket.write(TAKEN);
      else socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    };
    const client = new RuntimeClient(
      async () => token,
      () => true,
    );
    const bounds = { timeoutMs: 20_000, reserve: () => true };
    const call = () => client.call(endpoint, { dispatch_id: 'd_0' } as CallEnvelope, new Uint8Array(), bounds);
    expect(await call()).toMatchObject({ kind: 'refused', status: 401 });
    token = 'new';
    // Taken; `ok` is no result. Of several that were refused together each goes on.
    const taken = { kind: 'refused', status: 502 };
    expect(await Promise.all([call(), call(), call()])).toMatchObject([taken, taken, taken]);
    client.close();
  });

  it('that was opened with another bearer is not waited for', async () => {
    verifies('link.call-stream');
    greet = (socket, request) => {
      if (request.includes('Bearer new')) socket.write(TAKEN);
    };
    const old = streams.post(endpoint, 'old', { body: [Buffer.from('x')], timeoutMs: 20_000, maxBytes: 9 });
    expect(
      told(await streams.post(endpoint, 'new', { body: [Buffer.from('x')], timeoutMs: 20_000, maxBytes: 9 })),
    ).toBe('200 ok');
    streams.close();
    expect(told(await old)).toBe('not_sent');
  });

  it('that is refused for another reason was not handed over', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    greet = (socket) => socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}');
    expect(await post()).toEqual({ kind: 'not_sent', message: 'the runtime answered 500 instead of taking calls' });
  });
});

describe('a port that another process has taken', () => {
  it('gets no byte of a call and no token, and the call was not handed over', async () => {
    verifies('link.squatter', 'link.outcome-table');
    served = false;
    let heard = '';
    server.on('connection', (socket) => {
      socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    });
    greet = () => undefined;
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
