/** Which roots our own calls may have changed, as numbers that grow: one more reason to look at Git again. */
import { isWithin } from '../../roots/index.ts';

export class Touched {
  #everywhere = 0;
  readonly #places = new Map<string, number>();
  #version = 0;

  /** Grows with every write of ours. */
  get version(): number {
    return this.#version;
  }

  /** A write ran. `place` is the absolute path that it named, null when it may have changed anything. */
  note(place: string | null): void {
    this.#version += 1;
    if (place === null || !place.startsWith('/')) this.#everywhere += 1;
    else this.#places.set(place, (this.#places.get(place) ?? 0) + 1);
    if (this.#places.size <= PLACES_KEPT) return;
    this.#places.clear();
    this.#everywhere += 1;
  }

  /** Differs from its last value when something may have changed inside the root. */
  mark(root: string): number {
    let sum = this.#everywhere;
    for (const [place, count] of this.#places) if (isWithin(root, place)) sum += count;
    return sum;
  }
}

/** Single places remembered before everything counts as touched. */
const PLACES_KEPT = 256;
