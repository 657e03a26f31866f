/** Finished reads that the link has not acknowledged: in memory, for a minute, within a bound. Time comes in. */
import { READ_RESULT_TTL_MS } from '../../contract/limits.ts';
import { KEPT_READS_BYTES_MAX } from '../limits.ts';
import type { Finished } from './answer.ts';

export class KeptReads {
  /** Oldest first: a map keeps the order of insertion. */
  readonly #kept = new Map<string, { finished: Finished; at: number }>();
  #bytes = 0;

  keep(finished: Finished, nowMs: number): void {
    this.forget(finished.envelope.dispatch_id); // one past its time may stand here still
    this.#kept.set(finished.envelope.dispatch_id, { finished, at: nowMs });
    this.#bytes += finished.body.length;
    this.sweep(nowMs);
  }

  /** Drops what is past its time or beyond the bound; returns how many are left. */
  sweep(nowMs: number): number {
    for (const [id, { at }] of this.#kept) {
      if (at + READ_RESULT_TTL_MS > nowMs && this.#bytes <= KEPT_READS_BYTES_MAX) break;
      this.forget(id);
    }
    return this.#kept.size;
  }

  get(id: string, nowMs: number): Finished | undefined {
    const entry = this.#kept.get(id);
    return entry && entry.at + READ_RESULT_TTL_MS > nowMs ? entry.finished : undefined;
  }

  ids(nowMs: number): string[] {
    return [...this.#kept].filter(([, { at }]) => at + READ_RESULT_TTL_MS > nowMs).map(([id]) => id);
  }

  /** False when it was not kept here. */
  forget(id: string): boolean {
    const entry = this.#kept.get(id);
    if (!entry) return false;
    this.#bytes -= entry.finished.body.length;
    return this.#kept.delete(id);
  }
}
