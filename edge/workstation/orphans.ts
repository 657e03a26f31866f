/** Results whose caller lost the object and has not come back yet. Bounded by time here, by bytes where they are added. */
import type { ResultEnvelope } from '../../contract/call.ts';

export interface Orphan {
  envelope: ResultEnvelope;
  body: Uint8Array;
}

export class Orphans {
  readonly #kept = new Map<string, Orphan & { timer: ReturnType<typeof setTimeout> }>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps a result until it is taken or `ms` have passed; then `forgotten` runs. */
  keep(orphan: Orphan, ms: number, forgotten: () => void): void {
    const id = orphan.envelope.dispatch_id;
    this.take(id);
    this.#bytes += orphan.body.byteLength;
    const timer = setTimeout(() => {
      this.take(id);
      forgotten();
    }, ms);
    this.#kept.set(id, { ...orphan, timer });
  }

  take(dispatchId: string): Orphan | undefined {
    const kept = this.#kept.get(dispatchId);
    if (!kept) return undefined;
    clearTimeout(kept.timer);
    this.#kept.delete(dispatchId);
    this.#bytes -= kept.body.byteLength;
    return kept;
  }
}
