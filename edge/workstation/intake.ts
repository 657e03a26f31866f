/**
 * Results on their way in: chunks put together, bounded, handed to who waits, written down, acknowledged.
 *
 * A result is never parsed. Acknowledged is only what has been handed over or settled, so that a reset of this object
 * at any moment leaves the result with the link.
 */
import type { ResultEnvelope } from '../../contract/call.ts';
import { sha256 } from '../../contract/canonical.ts';
import { FRAME_BYTES_MAX, IN_FLIGHT_BYTES_MAX, RESULT_BYTES_MAX } from '../../contract/limits.ts';
import type { Failure } from '../../contract/outcome.ts';
import { ORPHAN_RESULT_MS } from '../limits.ts';
import { Acknowledgements } from './acks.ts';
import * as told from './failures.ts';
import { Orphans } from './orphans.ts';
import type { PendingCall, PendingCalls } from './pending.ts';
import type { Receipts } from './receipts.ts';
import type { CallReply } from './types.ts';

export interface IntakeContext {
  pending: PendingCalls;
  receipts: Receipts;
  /** A receipt was settled by a result. */
  settled: (dispatchId: string) => void;
  /** Sends acknowledgements to the serving link, if there is one. */
  acknowledge: (dispatchIds: string[]) => void;
  /** Whether a Worker may still come back for a dispatch that an earlier instance had. */
  mayAttach: (dispatchId: string, nowMs: number) => boolean;
}

const EMPTY = new Uint8Array(0);

export class Intake {
  readonly #in: IntakeContext;
  readonly #orphans = new Orphans();
  readonly #acks: Acknowledgements;

  constructor(context: IntakeContext) {
    this.#in = context;
    this.#acks = new Acknowledgements(context.acknowledge);
  }

  /** The result that arrived before its caller came back, if there is one. */
  claim(pending: PendingCall): CallReply | undefined {
    const orphan = this.#orphans.take(pending.id);
    if (!orphan) return undefined;
    this.#acks.add(pending.id, orphan.body.byteLength);
    return reply(pending, orphan.envelope, orphan.body);
  }

  /** One chunk of a result. `gap` when it does not continue what is here; the link then starts again. */
  result(envelope: ResultEnvelope, offset: number, last: boolean, piece: Uint8Array): 'ok' | 'gap' {
    const pending = this.#in.pending.get(envelope.dispatch_id);
    if (envelope.size > RESULT_BYTES_MAX) {
      if (last && pending) this.#drop(pending, told.tooLarge(pending.context, envelope.size, RESULT_BYTES_MAX));
      return 'ok';
    }
    if (offset === 0 && last) {
      if (piece.byteLength !== envelope.size) return 'gap';
      this.#complete(pending, envelope, piece);
      return 'ok';
    }
    if (!pending) {
      // A large result that nobody waits for: only its envelope is of use.
      if (last) this.#complete(undefined, envelope, EMPTY);
      return 'ok';
    }
    return this.#collect(pending, envelope, offset, last, piece);
  }

  #collect(
    pending: PendingCall,
    envelope: ResultEnvelope,
    offset: number,
    last: boolean,
    piece: Uint8Array,
  ): 'ok' | 'gap' {
    const others = this.#orphans.bytes + this.#in.pending.assemblingBytes() - (pending.assembly?.envelope.size ?? 0);
    if (others + envelope.size > IN_FLIGHT_BYTES_MAX) {
      this.#drop(pending, told.crowdedOut(pending.context, envelope.size, IN_FLIGHT_BYTES_MAX));
      return 'ok';
    }
    const assembly = pending.assemble(envelope);
    const state = assembly.add(offset, piece, last);
    if (state === 'done') this.#complete(pending, envelope, assembly.body);
    if (state === 'gap') pending.assembly = undefined;
    return state === 'gap' ? 'gap' : 'ok';
  }

  /** The link sent a result in a frame above the limit: the call ran, its answer cannot be taken. */
  oversized(dispatchId: string): void {
    const pending = this.#in.pending.get(dispatchId);
    if (pending) this.#drop(pending, told.tooLarge(pending.context, undefined, FRAME_BYTES_MAX));
  }

  /** The call ran and its answer was dropped: the receipt says so, the link may forget it. */
  #drop(pending: PendingCall, failure: Failure): void {
    if (pending.recorded) {
      const { code, delivery } = failure;
      this.#in.receipts.settle(pending.id, { delivery, ok: false, code, settledAtMs: Date.now() });
    }
    this.#acks.add(pending.id, 0);
    this.#in.pending.end(pending, { kind: 'failure', failure });
  }

  #complete(pending: PendingCall | undefined, envelope: ResultEnvelope, body: Uint8Array): void {
    const id = envelope.dispatch_id;
    if (pending) {
      this.#in.pending.end(pending, reply(pending, envelope, body));
      if (pending.recorded) void this.#settle(envelope, body, true);
      else this.#acks.add(id, body.byteLength);
      return;
    }
    const receipt = this.#in.receipts.find(id);
    const open = receipt !== undefined && receipt.settled !== 'delivered';
    const wanted = body.byteLength === envelope.size && this.#in.mayAttach(id, Date.now());
    if (wanted && this.#orphans.bytes + body.byteLength <= IN_FLIGHT_BYTES_MAX) {
      if (open) void this.#settle(envelope, body, false);
      this.#orphans.keep({ envelope, body }, ORPHAN_RESULT_MS, () => this.#acks.add(id, body.byteLength));
    } else if (open) void this.#settle(envelope, body, true);
    else this.#acks.add(id, body.byteLength);
  }

  /** The second and last write of a call. The caller has been answered by then, so it waits for neither digest nor disk. */
  async #settle(envelope: ResultEnvelope, body: Uint8Array, acknowledge: boolean): Promise<void> {
    const resultDigest = body.byteLength === envelope.size ? await sha256(body) : undefined;
    this.#in.receipts.settle(envelope.dispatch_id, {
      delivery: envelope.delivery,
      ok: envelope.ok,
      code: envelope.code,
      settledAtMs: Date.now(),
      size: envelope.size,
      ...(resultDigest === undefined ? {} : { resultDigest }),
    });
    this.#in.settled(envelope.dispatch_id);
    if (acknowledge) this.#acks.add(envelope.dispatch_id, body.byteLength);
  }
}

function reply(pending: PendingCall, envelope: ResultEnvelope, body: Uint8Array): CallReply {
  return {
    kind: 'result',
    body,
    ok: envelope.ok,
    delivery: envelope.delivery,
    runtimeMs: envelope.runtime_ms,
    linkMs: pending.sentAtMs === 0 ? 0 : Date.now() - pending.sentAtMs,
    replayed: envelope.replayed,
  };
}
