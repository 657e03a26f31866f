/** Pages of a session's output, by byte offset, cut where characters end. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { systemCode } from '../../local/error/index.ts';
import { isContinuation, openTail } from '../code-points.ts';
import { type Hole, readHole } from './hole.ts';
import { bringUpToDate, type Order, type Stream } from './order.ts';

export type View = Stream | 'both';

export interface OutputPage {
  text: string;
  /** Where the text begins; later than asked when the offset was inside a character or a dropped part. */
  offset: number;
  nextOffset: number;
  /** Of the view, as far as it is known now. */
  bytesTotal: number;
  /** What of the view between asked offset and `nextOffset` was dropped, in offsets of the view. */
  dropped?: { from: number; to: number };
}

export function streamSizes(folder: string): Record<Stream, number> {
  const size = (stream: Stream) => statSync(`${folder}/${stream}`, { throwIfNoEntry: false })?.size ?? 0;
  return { stdout: size('stdout'), stderr: size('stderr') };
}

interface Piece {
  stream: Stream;
  /** In the stream. */
  from: number;
  to: number;
  /** In the view. */
  at: number;
}

/**
 * Reads up to `limit` bytes of a view from `offset`. `ended` says that nothing more comes. A page never spans a dropped
 * part: it ends before one, and the next page begins behind it and says so.
 */
export function readOutput(folder: string, view: View, offset: number, limit: number, ended: boolean): OutputPage {
  const sizes = streamSizes(folder);
  const order = bringUpToDate(folder, sizes, ended ? 'ended' : 'characters');
  const pieces = view === 'both' ? order.segments : wholeStream(view, sizes, order, ended);
  const bytesTotal = pieces.reduce((sum, piece) => sum + piece.to - piece.from, 0);
  const holes = { stdout: readHole(folder, 'stdout'), stderr: readHole(folder, 'stderr') };
  const asked = Math.min(offset, bytesTotal);
  const parts: Buffer[] = [];
  let at = asked;
  let start: number | undefined;
  for (const part of pieces.flatMap((piece) => visible(piece, holes[piece.stream]))) {
    const partEnd = part.at + part.to - part.from;
    if (partEnd <= at) continue;
    if (part.at > at && parts.length > 0) break;
    at = Math.max(at, part.at);
    const from = part.from + at - part.at;
    const bytes = readBytes(`${folder}/${part.stream}`, from, Math.min(part.to - from, limit - (at - (start ?? at))));
    const skip = parts.length === 0 && from > part.from ? inside(`${folder}/${part.stream}`, from, bytes) : 0;
    start ??= at;
    parts.push(bytes.subarray(skip));
    at += bytes.length;
    if (at - start >= limit || at < partEnd) break;
  }
  const bytes = Buffer.concat(parts);
  const open = at < bytesTotal && bytes.length > openTail(bytes) ? openTail(bytes) : 0;
  const first = start ?? bytesTotal;
  return {
    text: bytes.toString('utf8', 0, bytes.length - open),
    offset: first + (at - first - bytes.length),
    nextOffset: Math.max(first, at) - open,
    bytesTotal,
    ...(first > asked ? { dropped: { from: asked, to: first } } : {}),
  };
}

function wholeStream(stream: Stream, sizes: Record<Stream, number>, order: Order, ended: boolean): Piece[] {
  const to = ended ? sizes[stream] : Math.max(order.reached[stream], 0);
  return to === 0 ? [] : [{ stream, from: 0, to, at: 0 }];
}

/** The parts of a piece that are still there. */
function visible(piece: Piece, hole: Hole | undefined): Piece[] {
  if (hole === undefined) return [piece];
  const shift = piece.at - piece.from;
  return [
    { from: piece.from, to: Math.min(piece.to, hole.from) },
    { from: Math.max(piece.from, hole.to), to: piece.to },
  ]
    .filter((part) => part.to > part.from)
    .map((part) => ({ ...part, stream: piece.stream, at: part.from + shift }));
}

/** How many bytes at the beginning belong to a character that began before them. */
function inside(path: string, from: number, bytes: Buffer): number {
  if (!isContinuation(bytes[0])) return 0;
  const before = readBytes(path, Math.max(0, from - 3), Math.min(3, from));
  if (openTail(before) === 0) return 0;
  let count = 0;
  while (count < 3 && isContinuation(bytes[count]) && openTail(Buffer.concat([before, bytes.subarray(0, count)])) > 0) {
    count += 1;
  }
  return count;
}

function readBytes(path: string, from: number, length: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, fstatSync(fd).size - from)));
    let done = 0;
    while (done < bytes.length) {
      const got = readSync(fd, bytes, done, bytes.length - done, from + done);
      if (got === 0) break;
      done += got;
    }
    return bytes.subarray(0, done);
  } finally {
    closeSync(fd);
  }
}
