/**
 * In which order the two streams grew, as far as somebody looked. One file that is only appended to: lines `o 120` or
 * `e 40` say that stdout (stderr) had reached that many bytes. A line that says no more than earlier ones changes nothing,
 * so several generations may append at once and every reader sees the same order. Parsing is pure.
 */
import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs';
import { openTail } from '../code-points.ts';
import { isFull } from './folder.ts';
import { LINE_WAIT_BYTES, ORDERS_KEPT } from './limits.ts';

export type Stream = 'stdout' | 'stderr';

/** A piece of the joined view: bytes `from`–`to` of a stream, standing at `at`. */
export interface Segment {
  stream: Stream;
  from: number;
  to: number;
  at: number;
}

export interface Order {
  segments: Segment[];
  /** How far each stream is in order. */
  reached: Record<Stream, number>;
  total: number;
}

export function parseOrder(text: string): Order {
  const order = emptyOrder();
  extend(order, text);
  return order;
}

const emptyOrder = (): Order => ({ segments: [], reached: { stdout: 0, stderr: 0 }, total: 0 });

function extend(order: Order, text: string): void {
  for (const match of text.matchAll(/^([oe]) (\d+)\n/gm)) {
    const stream: Stream = match[1] === 'o' ? 'stdout' : 'stderr';
    const to = Number(match[2]);
    const from = order.reached[stream];
    if (to <= from) continue;
    const last = order.segments.at(-1);
    if (last?.stream === stream) last.to = to;
    else order.segments.push({ stream, from, to, at: order.total });
    order.reached[stream] = to;
    order.total += to - from;
  }
}

/** What was read of order files that only ever grow: a command that prints for days is not read from the start each time. */
const known = new Map<string, { order: Order; bytes: number }>();

function readOrder(folder: string): Order {
  const path = `${folder}/order`;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let entry = known.get(folder);
  if (entry === undefined || entry.bytes > size) {
    entry = { order: emptyOrder(), bytes: 0 };
    known.set(folder, entry);
    const oldest = known.keys().next().value;
    if (known.size > ORDERS_KEPT && oldest !== undefined) known.delete(oldest);
  }
  if (size > entry.bytes) {
    const gained = readPart(path, entry.bytes, size - entry.bytes).toString('latin1');
    const whole = gained.slice(0, gained.lastIndexOf('\n') + 1);
    extend(entry.order, whole);
    entry.bytes += whole.length;
  }
  return entry.order;
}

/**
 * Puts what the streams have gained in order and gives the order as it is then. `lines` waits for the end of a line (for
 * looks in between), so that lines of two streams are not mixed; otherwise everything up to the last whole character
 * counts, and with `ended` everything.
 */
export function bringUpToDate(
  folder: string,
  sizes: Readonly<Record<Stream, number>>,
  mode: 'lines' | 'characters' | 'ended',
): Order {
  const order = readOrder(folder);
  let gained = '';
  for (const stream of ['stdout', 'stderr'] as const) {
    const size = sizes[stream];
    if (size <= order.reached[stream]) continue;
    const to = mode === 'ended' ? size : size - unfinished(`${folder}/${stream}`, order.reached[stream], size, mode);
    if (to > order.reached[stream]) gained += `${stream === 'stdout' ? 'o' : 'e'} ${to}\n`;
  }
  if (gained === '') return order;
  try {
    appendFileSync(`${folder}/order`, gained, { mode: 0o600 });
  } catch (error) {
    if (!isFull(error)) throw error;
    // The order of now is still true; only nobody remembers it.
    const unkept = structuredClone(order);
    extend(unkept, gained);
    return unkept;
  }
  return readOrder(folder);
}

/** Bytes at the end that should wait: half a character, or half a line. */
function unfinished(path: string, from: number, size: number, mode: 'lines' | 'characters'): number {
  const length = Math.min(size - from, mode === 'lines' ? LINE_WAIT_BYTES : 4);
  const bytes = readPart(path, size - length, length);
  if (mode === 'characters') return openTail(bytes);
  const newline = bytes.lastIndexOf(10);
  if (newline >= 0) return bytes.length - newline - 1;
  return length < LINE_WAIT_BYTES ? bytes.length : openTail(bytes);
}

function readPart(path: string, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const fd = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, length, from));
  } finally {
    closeSync(fd);
  }
}
