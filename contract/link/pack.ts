/**
 * The layout on the loopback route between link and runtime: an envelope and bytes in one body, as in a frame but
 * without a frame's size limit, because this hop needs no chunks.
 *
 * `POST /call` takes a packed {@link CallEnvelope} with the arguments' bytes and answers a packed
 * {@link ResultEnvelope} with the result's bytes.
 */
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { CallEnvelope, ResultEnvelope } from '../call.ts';
import { HEADER_BYTES_MAX } from '../limits.ts';
import { isPlainCall, isPlainResult } from './plain.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The envelope in front, to be sent before the body; both parts together are the packed message. */
export function packHead(envelope: CallEnvelope | ResultEnvelope): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(JSON.stringify(envelope));
  const packed = new Uint8Array(4 + head.length);
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, 4);
  return packed;
}

export type Unpacked<Envelope> = { ok: true; envelope: Envelope; body: Uint8Array } | { ok: false; message: string };

export function unpackCall(bytes: Uint8Array): Unpacked<CallEnvelope> {
  return unpack<CallEnvelope>(CallEnvelope, isPlainCall, bytes);
}

export function unpackResult(bytes: Uint8Array): Unpacked<ResultEnvelope> {
  return unpack<ResultEnvelope>(ResultEnvelope, isPlainResult, bytes);
}

function unpack<Envelope>(
  schema: TSchema,
  isPlain: (envelope: unknown) => boolean,
  bytes: Uint8Array,
): Unpacked<Envelope> {
  if (bytes.length < 4) return { ok: false, message: 'shorter than its length field' };
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (length > HEADER_BYTES_MAX || 4 + length > bytes.length)
    return { ok: false, message: 'envelope overruns the body' };
  let envelope: unknown;
  try {
    envelope = JSON.parse(decoder.decode(bytes.subarray(4, 4 + length)));
  } catch {
    return { ok: false, message: 'envelope is not JSON' };
  }
  if (!isPlain(envelope) && !Value.Check(schema, envelope))
    return { ok: false, message: 'envelope does not fit its schema' };
  return { ok: true, envelope: envelope as Envelope, body: bytes.subarray(4 + length) };
}
