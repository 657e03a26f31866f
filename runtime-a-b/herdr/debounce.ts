/** Many pokes, one call: a little after the last poke, but never later than a bound after the first. */
import { SNAPSHOT_DEBOUNCE_MAX_MS, SNAPSHOT_DEBOUNCE_MS } from '../limits.ts';

export class Debounce {
  readonly #act: () => void;
  #quiet: NodeJS.Timeout | undefined;
  #bound: NodeJS.Timeout | undefined;

  constructor(act: () => void) {
    this.#act = act;
  }

  poke(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#fire(), SNAPSHOT_DEBOUNCE_MS);
    this.#bound ??= setTimeout(() => this.#fire(), SNAPSHOT_DEBOUNCE_MAX_MS);
  }

  cancel(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#bound);
    this.#quiet = undefined;
    this.#bound = undefined;
  }

  #fire(): void {
    this.cancel();
    this.#act();
  }
}
