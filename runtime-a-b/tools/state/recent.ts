/** An answer that is still true: nothing that it was made from has changed, and it is not old. Time comes in. */

export class Recent<T> {
  readonly #freshMs: number;
  readonly #max: number;
  readonly #kept = new Map<string, { state: string; at: number; value: T }>();

  constructor(freshMs: number, max: number) {
    this.#freshMs = freshMs;
    this.#max = max;
  }

  /** The value that was made for this key in this state, or a new one. A failure is not kept. */
  async get(key: string, state: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    const age = known ? nowMs - known.at : -1;
    if (known && known.state === state && age >= 0 && age < this.#freshMs) return known.value;
    const value = await make();
    this.#kept.delete(key);
    this.#kept.set(key, { state, at: nowMs, value });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#max) break;
      this.#kept.delete(oldest);
    }
    return value;
  }
}
