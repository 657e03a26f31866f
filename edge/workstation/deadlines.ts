/**
 * One timer for all calls: deadlines come in the order of the calls, so the earliest stands first, and a timer of its
 * own for each call would cost more than sending the call. It stays armed over short gaps and is let go when the object
 * has nothing to wait for, so that it can hibernate.
 */
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
    this.#atMs = atMs;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, atMs - nowMs));
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = Date.now();
    const nextMs = this.#due(nowMs);
    if (nextMs !== undefined) this.arm(nextMs, nowMs);
  }
}
