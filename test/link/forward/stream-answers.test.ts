import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onePiece, piecesOf } from '../../../contract/link/index.ts';
import type { Post } from '../../../link/forward/call-stream.ts';
import { head } from '../../support/answer-head.ts';
import { verifies } from '../../verifies.ts';
import { StreamPeer, TAKEN, told } from '../support/stream-peer.ts';
import { until } from '../support/workstation.ts';

let at: StreamPeer;
beforeEach(async () => {
  at = await new StreamPeer().listen();
});
afterEach(() => at.close());

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
    at.answer = (...one) => waiting.push(one);
    const asked = ['first', 'second', 'third'].map((text) => at.post(text));
    await until(() => waiting.length === 3);
    for (const [socket, number, text] of waiting.reverse())
      await bytewise(socket, onePiece(number, 200, [Buffer.from(text.toUpperCase())]));
    expect((await Promise.all(asked)).map(told)).toEqual(['200 FIRST', '200 SECOND', '200 THIRD']);
    expect(at.connections).toHaveLength(1);
  });

  it('of another status is one too, also right behind the upgrade', async () => {
    at.greet = (socket) => socket.write(Buffer.concat([Buffer.from(TAKEN), onePiece(1, 503, [Buffer.from('later')])]));
    at.answer = () => undefined;
    expect(told(await at.post())).toBe('503 later');
  });

  it('in pieces is put together while small ones pass between', async () => {
    verifies('link.call-stream', 'link.fairness');
    const big = Buffer.alloc(600_000, 'b');
    const waiting = new Map<string, [Socket, number]>();
    at.answer = (socket, number, text) => waiting.set(text, [socket, number]);
    const large = at.post('large', { maxBytes: 1_000_000 });
    const small = at.post('small');
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
    at.answer = (socket, number, text) => socket.write(onePiece(number, 200, [Buffer.from(text.repeat(300))]));
    const bounds: Partial<Post>[] = [{ maxBytes: 1_100 }, { maxBytes: 2_000, reserve: () => false }];
    for (const bound of bounds) {
      const exchanged = await at.post('long', bound);
      expect(exchanged).toMatchObject({ kind: 'too_large', status: 200, size: 1_200 });
      expect(exchanged.kind === 'too_large' && exchanged.head.toString('latin1', 0, 8)).toBe('longlong');
    }
    expect(told(await at.post('x'))).toBe(`200 ${'x'.repeat(300)}`);
    expect(at.connections).toHaveLength(1);
  });

  it('without room tells what became of the call however its bytes were cut', async () => {
    verifies('link.call-stream', 'link.large-results');
    at.answer = (socket, number) => {
      const bytes = onePiece(number, 200, [Buffer.from('the beginning'.repeat(9))]);
      socket.write(bytes.subarray(0, 20));
      setTimeout(() => socket.write(bytes.subarray(20)), 30);
    };
    const exchanged = await at.post('long', { reserve: () => false });
    expect(exchanged).toMatchObject({ kind: 'too_large', size: 117 });
    expect(exchanged.kind === 'too_large' && exchanged.head.toString('latin1')).toBe('the beginning'.repeat(9));
  });

  it('that is announced far above every limit is not read; what else waits there is lost', async () => {
    verifies('link.call-stream');
    at.answer = (socket, number, text) => {
      if (text === 'huge') socket.write(head(number, 200, 1_000_000_000, 16));
    };
    const other = at.post('other');
    expect(await at.post('huge')).toMatchObject({ kind: 'too_large', size: 1_000_000_000 });
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
    at.answer = (socket, number) => socket.write(bytes(number));
    expect(told(await at.post('abcd', { timeoutMs: 600_000 }))).toBe('lost');
  });

  it('that came while this machine slept is taken, although its time is over', async () => {
    verifies('link.call-stream', 'link.liveness');
    const sleepMs = 1_000; // half of it is enough to hand the call over, on a busy machine too
    at.answer = (socket, number) => {
      socket.write(onePiece(number, 200, [Buffer.from('ok')]));
      // Nothing runs meanwhile, as on a machine that sleeps.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, sleepMs);
    };
    expect(told(await at.post('abcd', { timeoutMs: sleepMs / 2 }))).toBe('200 ok');
  });

  it('that comes after it was given up goes nowhere', async () => {
    verifies('link.call-stream');
    const waiting: [Socket, number][] = [];
    at.answer = (socket, number, text) => {
      if (text === 'slow') waiting.push([socket, number]);
      else socket.write(onePiece(number, 200, [Buffer.from('ok')]));
    };
    expect(told(await at.post())).toBe('200 ok');
    const slow = at.post('slow', { timeoutMs: 200 });
    expect(told(await at.post())).toBe('200 ok');
    expect(told(await slow)).toBe('lost');
    const [socket, number] = waiting[0] as [Socket, number];
    socket.write(onePiece(number, 200, [Buffer.from('late')]));
    expect(told(await at.post('next'))).toBe('200 ok');
    expect(at.connections).toHaveLength(1);
  });
});
