/**
 * Dispatches that must not run any more. A link that died may have left a call in a socket of ours; once the edge was told
 * that it did not arrive, it must not run when it is read after all. Only this process has such sockets, so memory is
 * enough. Time comes in.
 */
import { FENCE_MS } from '../limits.ts';

export class Fence {
  /** Oldest first, with when each was closed. */
  readonly #closed = new Map<string, number>();

  close(dispatchId: string, nowMs: number): void {
    this.#closed.set(dispatchId, nowMs);
    for (const [id, atMs] of this.#closed) {
      if (atMs + FENCE_MS > nowMs) break;
      this.#closed.delete(id);
    }
  }

  isClosed(dispatchId: string): boolean {
    return this.#closed.has(dispatchId);
  }
}
