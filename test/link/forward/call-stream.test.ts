import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallEnvelope } from '../../../contract/call.ts';
import { onePiece } from '../../../contract/link/index.ts';
import { CallStreams } from '../../../link/forward/call-streams.ts';
import { RuntimeClient } from '../../../link/forward/runtime-client.ts';
import { verifies } from '../../verifies.ts';
import { StreamPeer, TAKEN, told } from '../support/stream-peer.ts';
import { until } from '../support/workstation.ts';

let at: StreamPeer;
beforeEach(async () => {
  at = await new StreamPeer().listen();
});
afterEach(() => at.close());

describe('a stream', () => {
  it('is opened once for all calls, with the bearer, and sends nothing before it was taken', async () => {
    verifies('link.call-stream');
    let take = () => {};
    let seen = 0;
    at.greet = (socket) => (take = () => void socket.write(TAKEN));
    at.answer = (socket, number) => {
      seen += 1;
      socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    const asked = [at.post(), at.post()];
    await until(() => at.requests.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toBe(0);
    take();
    expect((await Promise.all(asked)).map(told)).toEqual(['200 ok', '200 ok']);
    expect(at.requests).toHaveLength(1);
    const port = at.endpoint.split(':').at(-1);
    expect(at.requests[0]).toBe(
      `GET /calls HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer the-token\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n`,
    );
  });

  it('carries a request of more than one piece', async () => {
    let got = 0;
    at.answer = (socket, number, text) => {
      got += text.length;
      if (got === 700_000) socket.write(onePiece(number, 200, [Buffer.from('all of it')]));
    };
    expect(told(await at.post('y'.repeat(700_000)))).toBe('200 all of it');
  });

  it.each([
    [12, 1_000_000],
    [60, 200_000],
  ])('lets a small request pass between the pieces of %i of %i bytes', async (count, size) => {
    verifies('link.call-stream', 'link.fairness');
    let before = 0;
    at.answer = (socket, number, text) => {
      if (text === 'small') socket.write(onePiece(number, 200, [Buffer.from(`after ${before}`)]));
      else before += text.length;
    };
    const large = Array.from({ length: count }, () => at.post('L'.repeat(size)));
    const [, bytes] = told(await at.post('small')).split('200 after ');
    expect(Number(bytes)).toBeLessThan(6_000_000);
    at.streams.close();
    await Promise.all(large);
  });

  it('on which nothing came for as long as a call waited is given up with all that waits in it', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    at.answer = () => undefined;
    const silent = [at.post('abcd', { timeoutMs: 40 }), at.post('efgh')];
    expect((await Promise.all(silent)).map(told)).toEqual(['lost', 'lost']);
    at.answer = (socket, number, text) => {
      if (text !== 'slow') socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    expect(told(await at.post('next'))).toBe('200 ok');
    expect(at.connections).toHaveLength(2);
    const slow = at.post('slow', { timeoutMs: 200 });
    expect(told(await at.post('while it waits'))).toBe('200 ok');
    expect(told(await slow)).toBe('lost');
    expect(told(await at.post('still there'))).toBe('200 ok');
    expect(at.connections).toHaveLength(2);
  });

  it('is not opened by a call that comes after the link closed', async () => {
    verifies('link.call-stream');
    at.streams.close();
    expect(await at.post()).toEqual({ kind: 'not_sent', message: 'the link is closing' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(at.connections).toHaveLength(0);
  });

  it('that cannot be made, or is not taken, proves that nothing was sent; one that breaks proves nothing', async () => {
    verifies('link.outcome-table');
    at.answer = (socket) => socket.destroy();
    expect(told(await at.post())).toBe('lost');
    at.answer = () => undefined;
    expect(told(await at.post('abcd', { timeoutMs: 20 }))).toBe('lost');
    at.greet = () => undefined;
    expect(told(await at.post('abcd', { timeoutMs: 20 }))).toBe('not_sent');
    at.streams.close();
    at.streams = new CallStreams(() => at.served);
    at.greet = (socket) => socket.destroy();
    expect(told(await at.post())).toBe('not_sent');
    at.greet = (socket) => socket.write('x'.repeat(100_000));
    expect(told(await at.post())).toBe('not_sent');
    for (const socket of at.connections) socket.destroy();
    at.server.close();
    await once(at.server, 'close');
    expect(told(await at.post())).toBe('not_sent');
  });

  it('that ended while it was idle is not used again', async () => {
    await at.post();
    const [first] = at.connections;
    first?.end();
    await once(first as Socket, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(told(await at.post())).toBe('200 ok');
    expect(at.connections).toHaveLength(2);
  });

  it('that the runtime ends is over, also while more waits to be sent than it reads', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    await at.post();
    const [socket] = at.connections;
    socket?.pause();
    const large = Array.from({ length: 24 }, () => at.post('L'.repeat(1_000_000), { timeoutMs: 600_000 }));
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
    expect(await unsure.post(at.endpoint, 'the-token', wish)).toEqual({
      kind: 'not_sent',
      message: 'too many open files',
    });
    expect(at.requests).toEqual([]);
    const client = new RuntimeClient(
      async () => 'the-token',
      () => {
        throw new Error('too many open files');
      },
    );
    expect(await client.facts(at.endpoint)).toBe('gone');
    client.close();
  });

  it('that is refused answers each call with that refusal', async () => {
    verifies('link.call-stream');
    at.greet = (socket) => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    expect((await Promise.all([at.post(), at.post()])).map(told)).toEqual(['401 {}', '401 {}']);
    at.greet = (socket) => socket.write(TAKEN);
    expect(told(await at.post())).toBe('200 ok');
  });

  it('whose bearer is refused is opened again with the one that stands there now', async () => {
    verifies('link.call-stream');
    let token = 'old';
    at.greet = (socket, request) => {
      if (request.includes('Bearer new')) socket.write(TAKEN);
      else socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    };
    const client = new RuntimeClient(
      async () => token,
      () => true,
    );
    const bounds = { timeoutMs: 20_000, reserve: () => true };
    const call = () => client.call(at.endpoint, { dispatch_id: 'd_0' } as CallEnvelope, new Uint8Array(), bounds);
    expect(await call()).toMatchObject({ kind: 'refused', status: 401 });
    token = 'new';
    // Taken; `ok` is no result. Of several that were refused together each goes on.
    const taken = { kind: 'refused', status: 502 };
    expect(await Promise.all([call(), call(), call()])).toMatchObject([taken, taken, taken]);
    client.close();
  });

  it('that was opened with another bearer is not waited for', async () => {
    verifies('link.call-stream');
    at.greet = (socket, request) => {
      if (request.includes('Bearer new')) socket.write(TAKEN);
    };
    const old = at.streams.post(at.endpoint, 'old', { body: [Buffer.from('x')], timeoutMs: 20_000, maxBytes: 9 });
    expect(
      told(await at.streams.post(at.endpoint, 'new', { body: [Buffer.from('x')], timeoutMs: 20_000, maxBytes: 9 })),
    ).toBe('200 ok');
    at.streams.close();
    expect(told(await old)).toBe('not_sent');
  });

  it('that is refused for another reason was not handed over', async () => {
    verifies('link.call-stream', 'link.outcome-table');
    at.greet = (socket) => socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}');
    expect(await at.post()).toEqual({ kind: 'not_sent', message: 'the runtime answered 500 instead of taking calls' });
  });
});

describe('a port that another process has taken', () => {
  it('gets no byte of a call and no token, and the call was not handed over', async () => {
    verifies('link.squatter', 'link.outcome-table');
    at.served = false;
    let heard = '';
    at.server.on('connection', (socket) => {
      socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    });
    at.greet = () => undefined;
    expect(await at.post()).toEqual({ kind: 'not_sent', message: 'another process has its port' });
    const client = new RuntimeClient(
      async () => 'the-token',
      () => at.served,
    );
    const envelope = { dispatch_id: 'd_0' } as CallEnvelope;
    const bounds = { timeoutMs: 20_000, reserve: () => true };
    expect(await client.facts(at.endpoint)).toBe('gone');
    expect(await client.held(at.endpoint)).toBeUndefined();
    expect((await client.call(at.endpoint, envelope, new Uint8Array(), bounds)).kind).toBe('not_sent');
    expect((await client.join(at.endpoint, 'd_0', bounds)).kind).toBe('not_sent');
    expect(heard).toBe('');
    at.served = true;
    await client.facts(at.endpoint);
    expect(heard).toContain('Bearer the-token');
    client.close();
  });
});
