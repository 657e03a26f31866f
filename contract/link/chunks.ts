/** Cutting a result into frames and putting it together again. */
import type { ResultEnvelope } from '../call.ts';
import { CHUNK_BYTES } from '../limits.ts';
import { encodeFrame } from './codec.ts';

/**
 * The frames of one result, in order; lazily, so that a large result is encoded only as fast as it is sent. With a
 * `scratch` each frame is written there, and is good until the next one is asked for.
 */
export function* resultFrames(
  result: ResultEnvelope,
  body: Uint8Array,
  scratch?: Uint8Array<ArrayBuffer>,
): Generator<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  do {
    const piece = body.subarray(offset, offset + CHUNK_BYTES);
    const end = offset + piece.length;
    yield encodeFrame({ kind: 'result', result, offset, last: end >= body.length }, piece, scratch);
    offset = end;
  } while (offset < body.length);
}

/** Collects the chunks of one result. Chunks must come in order; a repeated one is ignored, a gap is an error. */
export class ResultAssembly {
  readonly envelope: ResultEnvelope;
  readonly #body: Uint8Array;
  #received = 0;

  constructor(envelope: ResultEnvelope) {
    this.envelope = envelope;
    this.#body = new Uint8Array(envelope.size);
  }

  /** `'more'`, `'done'`, or `'gap'` when a chunk does not continue what is here or overruns the announced size. */
  add(offset: number, piece: Uint8Array, last: boolean): 'more' | 'done' | 'gap' {
    if (offset + piece.length <= this.#received && !(offset === this.#received && last)) return 'more';
    if (offset !== this.#received || offset + piece.length > this.#body.length) return 'gap';
    this.#body.set(piece, offset);
    this.#received += piece.length;
    if (!last) return 'more';
    return this.#received === this.#body.length ? 'done' : 'gap';
  }

  get body(): Uint8Array {
    return this.#body;
  }
}
