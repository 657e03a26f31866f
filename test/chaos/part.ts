/** One process of the product that is started again whenever it has ended. */
import type { Child } from '../../scripts/start/child.ts';

/** How long an asked part may take to end before its group is ended, in ms; the link's own drain is 5 s. */
const END_MS = 7_000;

export class Part {
  readonly #start: () => Promise<Child>;
  #running: Promise<Child>;
  #now: Child | undefined;
  #over = false;

  private constructor(start: () => Promise<Child>, first: Child) {
    this.#start = start;
    this.#running = Promise.resolve(first);
    this.#watch(first);
  }

  static async start(start: () => Promise<Child>): Promise<Part> {
    return new Part(start, await start());
  }

  /** False while it is on its way back. */
  get runs(): boolean {
    return this.#now !== undefined;
  }

  /** SIGKILL to it and to nothing that it started on purpose to outlive it. False while it is on its way back. */
  kill(): boolean {
    const child = this.#now;
    if (child === undefined) return false;
    this.#comeBack(child);
    // The whole group: workerd stands behind a guard. Commands of callers lead groups of their own.
    process.kill(-child.pid, 'SIGKILL');
    return true;
  }

  /** Resolves when it runs; rejects when it could not be started again. */
  async up(): Promise<void> {
    for (let before: unknown; before !== this.#running; ) {
      before = this.#running;
      await this.#running;
    }
  }

  async end(): Promise<void> {
    this.#over = true;
    const last = await this.#running.catch(() => undefined); // one that could not start has nothing to end
    await last?.end(END_MS);
  }

  #watch(child: Child): void {
    this.#now = child;
    void child.ended.then(() => this.#now === child && this.#comeBack(child));
  }

  #comeBack(gone: Child): void {
    this.#now = undefined;
    if (this.#over) return;
    this.#running = gone.ended.then(this.#start).then((next) => {
      this.#watch(next);
      return next;
    });
    this.#running.catch(() => undefined); // told by up()
  }
}
