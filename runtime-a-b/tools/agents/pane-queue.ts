/** One prompt at a time for each pane: two inside the 300 ms before Enter would become one line (protocol 6.6). */

export class PaneQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs the work when all earlier work of this pane has ended. */
  async run<T>(pane: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(pane) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => {},
      () => {},
    );
    this.#tails.set(pane, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(pane) === tail) this.#tails.delete(pane);
    }
  }
}
