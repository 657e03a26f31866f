/**
 * One timer for all calls: deadlines come in the order of the calls, so the earliest stands first, and a timer of its
 * own for each call would cost more than sending the call. It stays armed over short gaps and is let go when the object
 * has nothing to wait for, so that it can hibernate. One that comes late tells that this process slept, as a laptop's local
 * edge does: the answers that lie there are heard first.
 */
import { AWAKE_MS, LATE_MS } from '../limits.ts';

export class Deadlines {
  readonly #due: (nowMs: number) => number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #atMs = 0;

  /** `due` ends what is due and returns the next deadline, if there is one. */
  constructor(due: (nowMs: number) => number | undefined) {
    this.#due = due;
  }

  /** Makes sure that `due` runs at `atMs`, or earlier. */
  arm(atMs: number, nowMs: number): void {
    if (this.#timer !== undefined && this.#atMs <= atMs) return;
    clearTimeout(this.#timer);
    this.#atMs = Math.max(atMs, nowMs);
    this.#timer = setTimeout(() => this.#fire(), this.#atMs - nowMs);
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = Date.now();
    if (nowMs - this.#atMs >= LATE_MS) {
      this.arm(nowMs + AWAKE_MS, nowMs);
      return;
    }
    const nextMs = this.#due(nowMs);
    if (nextMs !== undefined) this.arm(nextMs, nowMs);
  }
}
