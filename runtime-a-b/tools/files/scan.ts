/**
 * One pass over a large file without holding it: its digest, encoding, line endings, and where its lines begin. Kept for
 * the next page while the file stays the same.
 */
import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { read as readCallback, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { OutcomeError } from '../../../contract/outcome.ts';
import { openTail } from '../../code-points.ts';
import { throwIfCancelled } from './common.ts';
import { LINE_INDEX_STEP, SCAN_CHUNK_BYTES, SCANS_KEPT } from './limits.ts';
import { type EndingCounts, eightBitShape, type Shape, shapeOfHead } from './text/index.ts';

const read = promisify(readCallback);

export interface Scan {
  sha256: string;
  shape: Shape;
  endings: EndingCounts;
  totalLines: number;
  finalNewline: boolean;
  /** Byte offset of line 1, 1 + {@link LINE_INDEX_STEP}, and so on. */
  offsets: readonly number[];
}

const kept = new Map<string, Scan>();

/** Reads the whole file once, or not at all when it was scanned before and has not changed since. */
export async function scanFile(fd: number, stats: Stats, path: string, signal: AbortSignal): Promise<Scan> {
  const key = `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const scan = await scanNow(fd, stats.size, path, signal);
  kept.set(key, scan);
  const oldest = kept.keys().next().value;
  if (kept.size > SCANS_KEPT && oldest !== undefined) kept.delete(oldest);
  return scan;
}

async function scanNow(fd: number, size: number, path: string, signal: AbortSignal): Promise<Scan> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(SCAN_CHUNK_BYTES);
  const state = newState();
  for (let offset = 0; offset < size; ) {
    throwIfCancelled(signal);
    const { bytesRead } = await read(fd, buffer, 0, buffer.length, offset);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (offset === 0) {
      const shape = shapeOfHead(chunk);
      if (shape === 'binary') throw binaryFile(path, size);
      state.shape = shape;
    }
    take(state, chunk, offset, hash);
    offset += bytesRead;
  }
  return settle(state, hash, size);
}

/** How many bytes lie from `offset` to the end of its line, the line break included, or to the end of the file. */
export async function bytesToLineEnd(fd: number, offset: number, signal: AbortSignal): Promise<number> {
  const buffer = Buffer.allocUnsafe(SCAN_CHUNK_BYTES);
  for (let passed = 0; ; ) {
    throwIfCancelled(signal);
    const { bytesRead } = await read(fd, buffer, 0, buffer.length, offset + passed);
    const end = buffer.subarray(0, bytesRead).indexOf(10);
    if (end >= 0) return passed + end + 1;
    passed += bytesRead;
    if (bytesRead === 0) return passed;
  }
}

interface State {
  shape: Shape;
  endings: EndingCounts;
  lines: number;
  offsets: number[];
  last: number;
  /** Bytes of a sequence that the next chunk continues. */
  open: Buffer;
}

const newState = (): State => ({
  shape: { encoding: 'utf-8', bom: false, invalid: false },
  endings: { lf: 0, crlf: 0, cr: 0 },
  lines: 0,
  offsets: [0],
  last: -1,
  open: Buffer.alloc(0),
});

function take(state: State, chunk: Buffer, offset: number, hash: Hash): void {
  hash.update(chunk);
  judge(state, chunk);
  let previous = state.last;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) {
    const before = at === 0 ? previous : (chunk[at - 1] as number);
    if (before === 13) state.endings.crlf += 1;
    else state.endings.lf += 1;
    state.lines += 1;
    if (state.lines % LINE_INDEX_STEP === 0) state.offsets.push(offset + at + 1);
  }
  previous = chunk.at(-1) ?? previous;
  state.last = previous;
}

/** Decides on the encoding with the first piece that is not valid UTF-8; a sequence may span two pieces. */
function judge(state: State, chunk: Buffer): void {
  const { shape } = state;
  if (shape.encoding !== 'utf-8' || shape.invalid) return;
  const joined = state.open.length === 0 ? chunk : Buffer.concat([state.open, chunk]);
  const cut = joined.length - openTail(joined);
  state.open = Buffer.from(joined.subarray(cut));
  if (!isUtf8(joined.subarray(0, cut))) state.shape = eightBitShape(joined, shape.bom);
}

function settle(state: State, hash: Hash, size: number): Scan {
  const finalNewline = state.last === 10;
  if (state.open.length > 0 && state.shape.encoding === 'utf-8' && !state.shape.invalid) {
    state.shape = { ...state.shape, invalid: true };
  }
  return {
    sha256: `sha256:${hash.digest('hex')}`,
    shape: state.shape,
    endings: state.endings,
    totalLines: state.lines + (size > 0 && !finalNewline ? 1 : 0),
    finalNewline,
    offsets: state.offsets,
  };
}

export function binaryFile(path: string, size: number): OutcomeError {
  return new OutcomeError('binary_file', `${path} is a binary file of ${size} bytes, not text.`, {
    next: 'View an image with herdr_fs_image; look into other files with herdr_exec (file, xxd, strings).',
    details: { bytes: size },
  });
}
