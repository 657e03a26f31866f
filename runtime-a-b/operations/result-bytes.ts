/**
 * The bytes of an MCP `CallToolResult`: JSON whose first text is JSON again. Pure.
 *
 * A long text in it (a page of a file, a command's output) would be walked three times: once for the JSON inside, once for
 * the JSON around it, once for its bytes. Where that costs more, its bytes are written escaped twice in one walk
 * (bench/README.md, P10). What comes out is the same, byte for byte; a property test holds both ways together.
 */
import { toUSVString } from 'node:util';

/** Below this many characters there is little to win. */
const LONG_CHARS = 16_384;
/** Looked at, evenly spread, to tell how dense a text is. */
const SAMPLES = 128;
/** With so many of them to be escaped, V8's own writer falls behind. */
const DENSE_SAMPLES = 8;

/** A text of which less than this is beyond ASCII; of more, as in Japanese, both ways cost the same. */
const MIXED_SHARE = 0.25;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const LETTER_N = 0x6e;
const encoder = new TextEncoder();

/** An MCP content block after the first text block. */
export type ExtraBlock = { type: 'image'; data: string; mimeType: string } | { type: 'text'; text: string };

export function resultBytes(body: Record<string, unknown>, blocks: readonly ExtraBlock[] = []): Uint8Array {
  const keys = Object.keys(body);
  if (!keys.some((key) => isWorthIt(body[key]))) {
    const content = [{ type: 'text', text: JSON.stringify(body) }, ...blocks];
    return encoder.encode(JSON.stringify({ content, isError: false }));
  }
  const pieces: Piece[] = [];
  let json = '{';
  let comma = '';
  for (const key of keys) {
    const value = body[key];
    if (isWorthIt(value)) {
      const text = Buffer.from(value);
      const before = onceEscaped(`${json}${comma}${JSON.stringify(key)}:"`);
      pieces.push({ bytes: before, size: before.length }, { bytes: text, size: twiceEscapedSize(text), isText: true });
      json = '"';
    } else {
      const member = JSON.stringify(value);
      if (member === undefined) continue;
      json += `${comma}${JSON.stringify(key)}:${member}`;
    }
    comma = ',';
  }
  const more = blocks.map((block) => `,${JSON.stringify(block)}`).join('');
  const after = onceEscaped(`${json}}`);
  return joined([
    whole('{"content":[{"type":"text","text":"'),
    ...pieces,
    { bytes: after, size: after.length },
    whole(`"}${more}],"isError":false}`),
  ]);
}

/** Bytes as they stand, or a text that is escaped twice while it is written. */
interface Piece {
  bytes: Buffer;
  /** Once written. */
  size: number;
  isText?: true;
}

const whole = (json: string): Piece => {
  const bytes = Buffer.from(json);
  return { bytes, size: bytes.length };
};

/** JSON text as it stands inside a JSON string. */
const onceEscaped = (json: string): Buffer => Buffer.from(JSON.stringify(json).slice(1, -1));

function joined(pieces: readonly Piece[]): Buffer {
  const result = Buffer.allocUnsafe(pieces.reduce((sum, { size }) => sum + size, 0));
  let at = 0;
  for (const { bytes, size, isText } of pieces) {
    if (isText) writeTwiceEscaped(bytes, result, at);
    else bytes.copy(result, at);
    at += size;
  }
  return result;
}

/**
 * A long text that V8 writes slowly: one with much to escape, or with a few characters beyond ASCII, for which V8 takes its
 * slow way through all of it. A lone surrogate has no bytes of its own, so it is V8's in any case.
 */
function isWorthIt(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < LONG_CHARS) return false;
  const beyond = Buffer.byteLength(value) - value.length;
  const isMixed = beyond > 0 && beyond < value.length * MIXED_SHARE;
  return (isMixed || isDense(value)) && toUSVString(value) === value;
}

function isDense(text: string): boolean {
  const step = text.length / SAMPLES;
  let found = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const code = text.charCodeAt(Math.floor(i * step));
    if (code < 0x20 || code === QUOTE || code === BACKSLASH) found += 1;
  }
  return found >= DENSE_SAMPLES;
}

/** An ASCII character escaped twice; the bytes of longer characters stay as they are. */
function twice(byte: number): string {
  if (byte >= 0x80) return 'x';
  return JSON.stringify(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)).slice(1, -1);
}

/** By how many bytes each byte grows: `"` and `\` to four, `\n` and its like to three, other control characters to seven. */
const GROWTH = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) GROWTH[byte] = twice(byte).length - 1;

function twiceEscapedSize(text: Buffer): number {
  const { length } = text;
  let growth = 0;
  for (let i = 0; i < length; i++) growth += GROWTH[text[i] as number] as number;
  return length + growth;
}

/** `\\\"` and four backslashes, as one number each. */
const QUOTE_TWICE = 0x5c5c5c22;
const BACKSLASH_TWICE = 0x5c5c5c5c;

/** Every escape begins with two backslashes; the one of a quote or backslash goes on with a third and the character. */
function writeTwiceEscaped(text: Buffer, into: Buffer, from: number): void {
  const { length } = text;
  const four = new DataView(into.buffer, into.byteOffset, into.length);
  let at = from;
  for (let i = 0; i < length; i++) {
    const byte = text[i] as number;
    if (GROWTH[byte] === 0) into[at++] = byte;
    else if (byte === BACKSLASH) {
      four.setUint32(at, BACKSLASH_TWICE);
      at += 4;
    } else if (byte === QUOTE) {
      four.setUint32(at, QUOTE_TWICE);
      at += 4;
    } else if (byte === NEWLINE) {
      into[at++] = BACKSLASH;
      into[at++] = BACKSLASH;
      into[at++] = LETTER_N;
    } else at += into.write(twice(byte), at, 'latin1');
  }
}
