import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { onePiece, PIECE_BYTES, type PieceHead, PieceReader, piecesOf } from '../../../contract/link/index.ts';
import { verifies } from '../../verifies.ts';

interface Message {
  number: number;
  status: number;
  bytes: Buffer;
}

/** Reads a stream that comes cut in these places, and puts its messages together again. */
function read(stream: Uint8Array, cuts: readonly number[]): { messages: Message[]; held: boolean } {
  const open = new Map<number, { head: PieceHead; parts: Buffer[]; missing: number }>();
  const messages: Message[] = [];
  let current = 0;
  const finish = (number: number): void => {
    const { head, parts } = open.get(number) ?? expect.unreachable();
    messages.push({ number, status: head.status, bytes: Buffer.concat(parts) });
    open.delete(number);
  };
  const reader = new PieceReader({
    head: (head) => {
      current = head.number;
      if (!open.has(current)) open.set(current, { head, parts: [], missing: head.total });
      if (head.total === 0) finish(current);
      return true;
    },
    bytes: (view) => {
      const message = open.get(current) ?? expect.unreachable();
      message.parts.push(Buffer.from(view));
      message.missing -= view.length;
      if (message.missing === 0) finish(current);
    },
  });
  const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
  const held = places.slice(1).every((place, n) => reader.push(stream.subarray(places[n], place)));
  return { messages, held };
}

/** Every message's pieces, one of each message in turn. */
function interleaved(all: readonly Message[]): Buffer {
  const turns = all.map(({ number, status, bytes }) => {
    const middle = Math.floor(bytes.length / 3);
    return [...piecesOf(number, status, [bytes.subarray(0, middle), bytes.subarray(middle)])];
  });
  const pieces: Uint8Array[] = [];
  for (let n = 0; turns.some((turn) => turn.length > n); n++) for (const turn of turns) pieces.push(...(turn[n] ?? []));
  return Buffer.concat(pieces);
}

const message = (longest: number) =>
  fc.record({
    status: fc.nat(0xffff),
    bytes: fc.uint8Array({ maxLength: longest }).map((bytes) => Buffer.from(bytes)),
  });

describe('messages on a stream of calls', () => {
  it('come out as they went in, however they were cut and mixed', () => {
    verifies('link.call-stream');
    fc.assert(
      fc.property(fc.array(message(300), { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 30 }), (list, cuts) => {
        const all = list.map((one, number) => ({ ...one, number }));
        const { messages, held } = read(interleaved(all), cuts);
        expect(held).toBe(true);
        expect(messages.sort((a, b) => a.number - b.number)).toEqual(all);
      }),
    );
  });

  it('of several pieces let others come between', () => {
    verifies('link.call-stream');
    const large = { number: 7, status: 200, bytes: Buffer.alloc(2 * PIECE_BYTES + 5, 'x') };
    const small = { number: 4_294_967_295, status: 404, bytes: Buffer.from('small') };
    const { messages } = read(interleaved([large, small]), [PIECE_BYTES, 3]);
    expect(messages).toEqual([small, large]);
  });

  it('in one run of bytes are the same as in pieces', () => {
    const parts = [Buffer.from('head'), Buffer.alloc(0), Buffer.from('body')];
    const pieces = Buffer.concat([...piecesOf(9, 200, parts)].flat());
    expect(Buffer.from(onePiece(9, 200, parts))).toEqual(pieces);
  });
});

describe('a stream that does not keep to the layout', () => {
  const head = (total: number, size: number) => {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(total, 8);
    bytes.writeUInt32BE(size, 12);
    return bytes;
  };
  it.each([
    ['a piece above the longest', head(PIECE_BYTES + 1, PIECE_BYTES + 1)],
    ['a piece longer than its message', head(4, 5)],
    ['a piece of nothing', head(4, 0)],
  ])('%s ends the reading', (_, bytes) => {
    verifies('link.call-stream', 'link.malformed');
    const seen: number[] = [];
    const reader = new PieceReader({
      head: ({ size }) => {
        seen.push(size);
        return true;
      },
      bytes: (view) => seen.push(view.length),
    });
    expect(reader.push(bytes)).toBe(false);
    expect(reader.push(onePiece(1, 0, [Buffer.from('good')]))).toBe(false);
    expect(seen).toEqual([]);
  });

  it('is never an exception, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (pieces) => {
        const reader = new PieceReader({ head: () => true, bytes: () => undefined });
        for (const piece of pieces) reader.push(piece);
      }),
    );
  });
});
