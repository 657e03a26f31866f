/**
 * Every dispatch that the link knows, from the frame that brought it to the edge's acknowledgement. In memory only: after
 * a restart the runtime tells what it holds.
 */
import type { CallEnvelope, ResultEnvelope } from '../../contract/call.ts';
import type { CallClass } from '../../contract/outcome.ts';
import { KEPT_BYTES_MAX } from '../limits.ts';

/** The result as it goes to the edge. */
export interface Kept {
  envelope: ResultEnvelope;
  body: Uint8Array;
}

export type DispatchState =
  /** Waits for a place among those that run. */
  | 'waiting'
  /** Handed over, or being handed over. */
  | 'running'
  /** Finished, and the result is with the runtime (found after a restart of the link). */
  | 'stored'
  /** Finished, and the result is here. */
  | 'finished';

export interface Dispatch {
  id: string;
  class: CallClass;
  state: DispatchState;
  /** Absent for a dispatch that an earlier link process forwarded. */
  call?: { envelope: CallEnvelope; args: Uint8Array };
  /** Monotonic ms at which it was received, and at which it finished. */
  receivedMs: number;
  finishedMs?: number;
  kept?: Kept;
  /** Where it was handed over. */
  endpoint?: string;
  generation?: string;
  /** Bytes set aside for a result that is being read. */
  reservedBytes?: number;
  /** Nobody knows whether it arrived: the ledger of this boot of the runtime is asked. */
  sentToBoot?: string;
  /** The caller asked to stop before anything was handed over. */
  cancelled?: true;
}

/** Dispatches kept at once, so that a hello that lists them fits its header by far. */
export const KEPT_DISPATCHES_MAX = 2_000;

/** Results up to this are not counted against the bound: {@link KEPT_DISPATCHES_MAX} bounds them already. */
const SMALL_RESULT_BYTES = 16 * 1024;

/** An answer of the runtime is longer than the result in it by the envelope, some hundred bytes, which are not kept. */
const ENVELOPE_BYTES = 4 * 1024;

export class Dispatches {
  /** In the order of arrival. */
  readonly #byId = new Map<string, Dispatch>();
  /** Kept and set aside. */
  #bytes = 0;

  get(id: string): Dispatch | undefined {
    return this.#byId.get(id);
  }

  add(dispatch: Dispatch): void {
    this.#byId.set(dispatch.id, dispatch);
  }

  all(): IterableIterator<Dispatch> {
    return this.#byId.values();
  }

  get size(): number {
    return this.#byId.size;
  }

  /**
   * Sets room aside for the result in an answer of so many bytes, beside those that are read or wait for the edge. False when there is
   * none. Asking again for the same dispatch replaces what was set aside. A small result always finds room.
   */
  reserve(dispatch: Dispatch, answerBytes: number): boolean {
    const bytes = Math.max(0, answerBytes - ENVELOPE_BYTES);
    const others = this.#bytes - (dispatch.reservedBytes ?? 0);
    if (bytes > SMALL_RESULT_BYTES && others + bytes > KEPT_BYTES_MAX) return false;
    dispatch.reservedBytes = bytes;
    this.#bytes = others + bytes;
    return true;
  }

  finish(dispatch: Dispatch, kept: Kept, nowMs: number): void {
    this.#bytes += kept.body.length - (dispatch.reservedBytes ?? 0);
    delete dispatch.reservedBytes;
    delete dispatch.call;
    dispatch.state = 'finished';
    dispatch.finishedMs = nowMs;
    dispatch.kept = kept;
  }

  remove(id: string): Dispatch | undefined {
    const dispatch = this.#byId.get(id);
    if (dispatch === undefined) return undefined;
    this.#bytes -= dispatch.kept?.body.length ?? dispatch.reservedBytes ?? 0;
    this.#byId.delete(id);
    return dispatch;
  }
}

/**
 * Finished dispatches that need not be kept any longer. Pure. Reads go after `readTtlMs`; above `max` the oldest go,
 * reads before writes, because a write's result is still with the runtime.
 */
export function expired(all: Iterable<Dispatch>, nowMs: number, readTtlMs: number, max: number): string[] {
  const finished = [...all].filter((each) => each.state === 'finished' || each.state === 'stored');
  const old = (each: Dispatch): boolean =>
    each.class === 'read' && nowMs - (each.finishedMs ?? each.receivedMs) >= readTtlMs;
  const gone = finished.filter(old);
  const rest = finished.filter((each) => !old(each));
  const surplus = Math.max(0, rest.length - max);
  const byWorth = [...rest.filter((each) => each.class === 'read'), ...rest.filter((each) => each.class === 'write')];
  return [...gone, ...byWorth.slice(0, surplus)].map((each) => each.id);
}
