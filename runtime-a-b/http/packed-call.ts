/** A call as the link sends it, on the stream or by itself: unpacked, judged and given to the dispatcher. */
import { type CallEnvelope, classify } from '../../contract/call.ts';
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from '../../contract/limits.ts';
import { packHead, unpackCall } from '../../contract/link/index.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { type Finished, refused } from '../operations/index.ts';
import { readObject } from './body.ts';
import type { HttpParts } from './parts.ts';

/** A packed call: the length field, the envelope and the arguments. */
export const PACKED_CALL_BYTES_MAX = 4 + HEADER_BYTES_MAX + BODY_BYTES_MAX;

/** Runs a packed call; `undefined` when the bytes are none. Its result is two pieces, to be sent one after the other. */
export function runPacked(
  bytes: Uint8Array,
  { dispatcher }: Pick<HttpParts, 'dispatcher'>,
): Promise<{ head: Uint8Array; body: Uint8Array }> | undefined {
  const call = unpackCall(bytes);
  if (!call.ok) return undefined;
  return runCall(call, dispatcher).then(({ envelope, body }) => ({ head: packHead(envelope), body }));
}

/** Submits an unpacked call; broken arguments are answered, never thrown. */
export function runCall(
  { envelope, body }: { envelope: CallEnvelope; body: Uint8Array },
  dispatcher: HttpParts['dispatcher'],
): Promise<Finished> {
  const args = readObject(body);
  if (!args) return refuseArguments(envelope);
  // A call counts as a write when either end says so: taking a write for a read is the only dangerous mistake.
  const callClass = envelope.class === 'read' && classify(envelope.tool, args) === 'read' ? 'read' : 'write';
  return dispatcher.submit(envelope, args, callClass, 'link');
}

/** A known dispatch cannot have arrived with broken arguments, so nothing is looked up: nothing ran and nothing will. */
function refuseArguments(envelope: CallEnvelope): Promise<Finished> {
  const error = new OutcomeError('invalid_params', 'The arguments are no JSON object. Nothing was run.', {
    next: 'Send one JSON object.',
  });
  return Promise.resolve(refused(error, envelope));
}
