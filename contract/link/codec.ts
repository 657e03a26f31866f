/** Frames to bytes and back. Pure; a bad frame is a value, never an exception, so that no frame can end a link. */
import * as Value from 'typebox/value';
import { DISPATCH_ID } from '../ids.ts';
import { FRAME_BYTES_MAX, HEADER_BYTES_MAX } from '../limits.ts';
import { FRAME_SCHEMAS, type FrameHeader } from './frames.ts';
import { isPlainCall, isPlainResult } from './plain.ts';

export interface Frame {
  header: FrameHeader;
  payload: Uint8Array;
}

export type Decoded =
  | ({ ok: true } & Frame)
  /** `unknown_kind`: a newer peer's frame, harmless to ignore. The others are the peer's fault. */
  | { ok: false; code: 'malformed' | 'too_large' | 'unknown_kind'; message: string; dispatchId?: string };

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const EMPTY = new Uint8Array(0);

/**
 * The bytes of one frame. Throws `RangeError` above {@link FRAME_BYTES_MAX}: the caller chunks, it never truncates. They are
 * written into `scratch` where they fit in there.
 */
export function encodeFrame(
  header: FrameHeader,
  payload: Uint8Array = EMPTY,
  scratch?: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(JSON.stringify(header));
  const size = 4 + head.length + payload.length;
  if (head.length > HEADER_BYTES_MAX || size > FRAME_BYTES_MAX) {
    throw new RangeError(`a ${header.kind} frame of ${size} bytes is above the limit of ${FRAME_BYTES_MAX}`);
  }
  const frame = scratch !== undefined && size <= scratch.length ? scratch.subarray(0, size) : new Uint8Array(size);
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, head.length);
  frame.set(head, 4);
  frame.set(payload, 4 + head.length);
  return frame;
}

/** Reads one frame. The payload is a view of `bytes`, not a copy. */
export function decodeFrame(bytes: Uint8Array): Decoded {
  if (bytes.length > FRAME_BYTES_MAX)
    return { ok: false, code: 'too_large', message: `frame of ${bytes.length} bytes` };
  if (bytes.length < 4) return malformed('frame shorter than its length field');
  const headLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (headLength > HEADER_BYTES_MAX || 4 + headLength > bytes.length) return malformed('header longer than the frame');
  let header: unknown;
  try {
    header = JSON.parse(decoder.decode(bytes.subarray(4, 4 + headLength)));
  } catch {
    return malformed('header is not JSON');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return malformed('header is no object');
  const kind = (header as { kind?: unknown }).kind;
  if (typeof kind !== 'string') return malformed('header has no kind');
  if (!Object.hasOwn(FRAME_SCHEMAS, kind)) {
    return { ok: false, code: 'unknown_kind', message: `unknown kind ${JSON.stringify(kind.slice(0, 64))}` };
  }
  const schema = FRAME_SCHEMAS[kind as keyof typeof FRAME_SCHEMAS];
  if (!isPlain(header as Record<string, unknown>) && !Value.Check(schema, header)) {
    const [first] = Value.Errors(schema, header);
    const where = first === undefined ? '' : `: ${first.instancePath || '/'} ${first.message}`;
    return withDispatch(malformed(`${kind} frame does not fit its schema${where}`.slice(0, 500)), header);
  }
  return { ok: true, header: header as FrameHeader, payload: bytes.subarray(4 + headLength) };
}

/**
 * Whether this certainly is a well-formed `call` or `result` header. Every call brings one of each, and where no code may
 * be generated walking a schema costs more than all the rest of decoding. False means nothing: the schema then decides.
 */
function isPlain({ kind, offset, last, call, result }: Record<string, unknown>): boolean {
  if (kind === 'call') return isPlainCall(call);
  return kind === 'result' && typeof last === 'boolean' && isCount(offset) && isPlainResult(result);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

function malformed(message: string): Extract<Decoded, { ok: false }> {
  return { ok: false, code: 'malformed', message };
}

/** A broken frame that still names its dispatch lets the peer answer that call instead of leaving it to its deadline. */
function withDispatch(problem: Extract<Decoded, { ok: false }>, header: object): Extract<Decoded, { ok: false }> {
  const { dispatch_id, call, result } = header as {
    dispatch_id?: unknown;
    call?: { dispatch_id?: unknown };
    result?: { dispatch_id?: unknown };
  };
  const id = dispatch_id ?? call?.dispatch_id ?? result?.dispatch_id;
  return typeof id === 'string' && DISPATCH_ID.test(id) ? { ...problem, dispatchId: id } : problem;
}
