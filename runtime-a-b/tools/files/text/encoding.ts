/**
 * How a file's bytes are text. Every decoding used for changing a file is reversible: what is not touched comes back as
 * the same bytes, also in files that are not valid in their own encoding. Pure.
 */
import { isUtf8 } from 'node:buffer';
import { fromWindows1252, toWindows1252 } from './windows-1252.ts';

export interface Shape {
  /** `windows-1252` is a guess: eight-bit text that is not UTF-8 names no encoding. */
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  bom: boolean;
  /** UTF-8 with bytes in it that are not. They are shown as U+FFFD and kept as they are. */
  invalid: boolean;
}

/** How much of a file's beginning decides whether it is text, as Git does it. */
export const SNIFF_BYTES = 8_000;

/** Fewer bytes with zeros among them are no evidence of text in UTF-16. */
const UTF16_SNIFF_MIN = 8;

/** The shape that the first bytes show, or `binary`. UTF-8 is assumed until {@link eightBitShape} says otherwise. */
export function shapeOfHead(head: Uint8Array): Shape | 'binary' {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bom: true, invalid: false };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bom: true, invalid: false };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bom: true, invalid: false };
  const sniffed = head.subarray(0, SNIFF_BYTES);
  if (!sniffed.includes(0)) return { encoding: 'utf-8', bom: false, invalid: false };
  const zeros = [0, 0];
  sniffed.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  // Western text in UTF-16 without a mark: every other byte is zero, and only those.
  if (sniffed.length < UTF16_SNIFF_MIN) return 'binary';
  const most = sniffed.length * 0.4;
  if (even === 0 && odd > most) return { encoding: 'utf-16le', bom: false, invalid: false };
  if (odd === 0 && even > most) return { encoding: 'utf-16be', bom: false, invalid: false };
  return 'binary';
}

/** The shape of eight-bit text that is not valid UTF-8: broken UTF-8 when most of it fits, else a guess. */
export function eightBitShape(bytes: Uint8Array, bom: boolean): Shape {
  const { sequences, strays } = countSequences(bytes);
  if (bom || sequences > strays) return { encoding: 'utf-8', bom, invalid: true };
  return { encoding: 'windows-1252', bom: false, invalid: false };
}

/** The shape of a whole file in memory, or `binary`. */
export function shapeOf(bytes: Uint8Array): Shape | 'binary' {
  const shape = shapeOfHead(bytes);
  if (shape === 'binary' || shape.encoding !== 'utf-8' || isUtf8(bytes)) return shape;
  return eightBitShape(bytes, shape.bom);
}

/** Text for a reader, without the byte order mark. */
export function readable(bytes: Uint8Array, shape: Shape): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (shape.encoding === 'windows-1252') return fromWindows1252(buffer);
  const text = shape.encoding === 'utf-8' ? buffer.toString('utf8') : utf16(buffer, shape);
  return text.startsWith('\ufeff') && shape.bom ? text.slice(1) : text;
}

/** Text that {@link toBytes} turns back into the same bytes; the byte order mark stays in it. */
export function exact(bytes: Uint8Array, shape: Shape): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (shape.encoding === 'windows-1252') return fromWindows1252(buffer);
  if (shape.encoding === 'utf-8') return buffer.toString(shape.invalid ? 'latin1' : 'utf8');
  return utf16(buffer, shape);
}

/** A caller's text in the same terms as {@link exact}; `undefined` when the file's encoding cannot hold it. */
export function inTermsOf(text: string, shape: Shape): string | undefined {
  if (shape.encoding === 'windows-1252') return toWindows1252(text) === undefined ? undefined : text;
  if (/\p{Surrogate}/u.test(text)) return undefined;
  return shape.encoding === 'utf-8' && shape.invalid ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** The bytes of text in the terms of {@link exact}. */
export function toBytes(text: string, shape: Shape): Buffer {
  if (shape.encoding === 'windows-1252') return toWindows1252(text) ?? Buffer.from(text, 'latin1');
  if (shape.encoding === 'utf-8') return Buffer.from(text, shape.invalid ? 'latin1' : 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return shape.encoding === 'utf-16be' ? swapped(bytes) : bytes;
}

/** Text in the terms of {@link exact}, for a person: what {@link inTermsOf} did is undone. */
export function shown(text: string, shape: Shape): string {
  return shape.encoding === 'utf-8' && shape.invalid ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

function utf16(bytes: Buffer, shape: Shape): string {
  const even = bytes.subarray(0, bytes.length & ~1);
  return (shape.encoding === 'utf-16be' ? swapped(even) : even).toString('utf16le');
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

/** Well-formed sequences of several bytes, and bytes that belong to none. */
function countSequences(bytes: Uint8Array): { sequences: number; strays: number } {
  let sequences = 0;
  let strays = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const length =
      byte < 0x80
        ? 1
        : byte >= 0xc2 && byte < 0xe0
          ? 2
          : byte >= 0xe0 && byte < 0xf0
            ? 3
            : byte >= 0xf0 && byte < 0xf5
              ? 4
              : 0;
    const whole = length > 0 && isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length;
    if (whole && length > 1) sequences += 1;
    else if (!whole) strays += 1;
    at += whole ? length : 1;
  }
  return { sequences, strays };
}
