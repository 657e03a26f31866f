/** Random bytes in small pieces: asking the system for ten costs as much as asking for a thousand. */
import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;

export class Randomness {
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;

  /** Bytes that nobody else gets. */
  take(count: number): Uint8Array {
    if (this.#used + count > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const piece = this.#pool.slice(this.#used, this.#used + count);
    this.#used += count;
    return piece;
  }
}
