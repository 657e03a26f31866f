/** Waiting for the next try, until time passes or something happens that makes it worth trying earlier. */
import { SLEEP_GAP_MS, WAKE_CHECK_MS } from '../limits.ts';
import type { Clock } from '../socket/index.ts';

export type Woken =
  | 'time'
  /** A command. */
  | 'retry'
  /** The runtime changed. */
  | 'promoted'
  /** The machine slept: the network is a new one. */
  | 'woke'
  | 'stop';

export class Waiting {
  readonly #clock: Clock;
  #wake: ((reason: Woken) => void) | undefined;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, earlier for a reason in `reasons`, and always for a stop. */
  for(ms: number, reasons: readonly Woken[]): Promise<Woken> {
    if (this.#stopped) return Promise.resolve('stop');
    return new Promise((resolve) => {
      let wallMs = this.#clock.wall();
      const done = (reason: Woken): void => {
        clearTimeout(timer);
        clearInterval(watch);
        this.#wake = undefined;
        resolve(reason);
      };
      const timer = setTimeout(() => done('time'), ms);
      const watch = setInterval(() => {
        const sleptMs = this.#clock.wall() - wallMs - WAKE_CHECK_MS;
        wallMs = this.#clock.wall();
        if (sleptMs >= SLEEP_GAP_MS) this.#wake?.('woke');
      }, WAKE_CHECK_MS);
      this.#wake = (reason) => {
        if (reason === 'stop' || reasons.includes(reason)) done(reason);
      };
    });
  }

  retry(): void {
    this.#wake?.('retry');
  }

  promoted(): void {
    this.#wake?.('promoted');
  }

  stop(): void {
    this.#stopped = true;
    this.#wake?.('stop');
  }
}
