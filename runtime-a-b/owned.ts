/** What a runtime has opened, given back once and in the opposite order, whatever happens in between. */

export class Owned {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Every closer runs, also after one that failed; the first failure is thrown at the end. */
  async release(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
