/**
 * The stream of calls between link and runtime on one machine: one connection, on which as many calls run side by side
 * as there are, each under a number of its sender's. It is opened by an HTTP/1.1 upgrade of `GET /calls` with the same
 * bearer as every internal route, and then carries pieces in both directions:
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 3 | the number of the call, chosen by the link, unsigned, big endian |
 * | 4 to 5 | 0 in a request; in an answer the HTTP status that `POST /call` would have |
 * | 6 to 7 | 0 |
 * | 8 to 11 | bytes of the whole message |
 * | 12 to 15 | bytes of this piece, which follow |
 *
 * The messages are the bodies of `POST /call` and of its answer. One that is longer than {@link PIECE_BYTES} comes in
 * several pieces, between which others may come, so that nobody waits for a large one.
 */

/** How the upgrade is called, in the headers of request and answer. */
export const CALLS_UPGRADE = 'herdr-calls';

/** Longest piece in bytes: a small answer waits behind one of them at most, which a loopback takes in 0.1 ms. */
export const PIECE_BYTES = 256 * 1024;

const PIECE_HEAD_BYTES = 16;

/** What stands before the bytes of a piece. */
export interface PieceHead {
  number: number;
  status: number;
  /** Bytes of the whole message. */
  total: number;
  /** Bytes of this piece. */
  size: number;
}

/** Writes a head into `bytes` at `at`. */
function writePieceHead(bytes: Uint8Array, at: number, { number, status, total, size }: PieceHead): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, PIECE_HEAD_BYTES);
  view.setUint32(0, number);
  view.setUint16(4, status);
  view.setUint16(6, 0);
  view.setUint32(8, total);
  view.setUint32(12, size);
}

/** A message that fits one piece, with its head, in one run of bytes. */
export function onePiece(number: number, status: number, parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = sizeOf(parts);
  const bytes = new Uint8Array(PIECE_HEAD_BYTES + total);
  writePieceHead(bytes, 0, { number, status, total, size: total });
  let at = PIECE_HEAD_BYTES;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Any message in pieces, each as heads and views to be written one after the other. Nothing of a large part is copied. */
export function* piecesOf(number: number, status: number, parts: readonly Uint8Array[]): Generator<Uint8Array[]> {
  const total = sizeOf(parts);
  let left = total;
  let part = 0;
  let at = 0;
  do {
    const size = Math.min(left, PIECE_BYTES);
    const head = new Uint8Array(PIECE_HEAD_BYTES);
    writePieceHead(head, 0, { number, status, total, size });
    const piece: Uint8Array[] = [head];
    for (let missing = size; missing > 0; ) {
      const source = parts[part] as Uint8Array;
      const view = source.subarray(at, at + missing);
      piece.push(view);
      missing -= view.length;
      at += view.length;
      if (at === source.length) {
        part += 1;
        at = 0;
      }
    }
    left -= size;
    yield piece;
  } while (left > 0);
}

export const sizeOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** What a {@link PieceReader} finds. */
export interface PieceSink {
  /** A head. False ends the reading for ever: the peer does not keep to the layout. */
  head(head: PieceHead): boolean;
  /** Some bytes of the piece whose head came last. They are good until this returns. */
  bytes(view: Uint8Array): void;
}

/** Takes the stream apart as it comes, however it was cut on the way. Never throws of itself. */
export class PieceReader {
  readonly #sink: PieceSink;
  /** What has come of a head that is not complete. */
  #early: Uint8Array = new Uint8Array(0);
  /** Bytes of the current piece that have not come. */
  #missing = 0;
  #broken = false;

  constructor(sink: PieceSink) {
    this.#sink = sink;
  }

  /** False once the stream is broken. */
  push(bytes: Uint8Array): boolean {
    let from = bytes;
    while (from.length > 0 && !this.#broken) {
      if (this.#missing > 0) {
        const view = from.subarray(0, this.#missing);
        this.#missing -= view.length;
        from = from.subarray(view.length);
        this.#sink.bytes(view);
        continue;
      }
      if (this.#early.length + from.length < PIECE_HEAD_BYTES) {
        this.#early = joined(this.#early, from);
        return true;
      }
      const lacking = PIECE_HEAD_BYTES - this.#early.length;
      const head = this.#early.length === 0 ? from : joined(this.#early, from.subarray(0, lacking));
      this.#early = new Uint8Array(0);
      from = from.subarray(lacking);
      this.#broken = !this.#take(head);
    }
    return !this.#broken;
  }

  #take(bytes: Uint8Array): boolean {
    const view = new DataView(bytes.buffer, bytes.byteOffset, PIECE_HEAD_BYTES);
    const head = {
      number: view.getUint32(0),
      status: view.getUint16(4),
      total: view.getUint32(8),
      size: view.getUint32(12),
    };
    if (head.size > PIECE_BYTES || head.size > head.total || (head.size === 0 && head.total > 0)) return false;
    this.#missing = head.size;
    return this.#sink.head(head);
  }
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array {
  const all = new Uint8Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}
