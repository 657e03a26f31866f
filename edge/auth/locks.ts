/**
 * One at a time for each name, in the order of asking; different names never wait for each other. In memory, because
 * the object is the only one of its kind: whoever could run at the same time runs in it.
 */
export class Locks {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
    }
  }
}
