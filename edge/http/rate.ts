import { RATE_KEYS_MAX, RATE_WINDOW_MS } from './limits.ts';

/**
 * Counts events by key in windows of a minute. In memory of one Durable Object, which is where every caller meets; an
 * eviction forgets at most a minute. What must survive (wrong codes) is counted in its row instead.
 */
export class RateWindow {
  readonly #limit: number;
  #start = 0;
  #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one event and says how long to wait, in ms; 0 when it is within the limit. */
  hit(key: string, nowMs: number): number {
    if (this.#isOver(nowMs) || this.#counts.size >= RATE_KEYS_MAX) {
      this.#start = nowMs;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= this.#limit ? 0 : this.#start + RATE_WINDOW_MS - nowMs;
  }

  /** Also when the clock went back: nobody waits for a time that comes twice. */
  #isOver(nowMs: number): boolean {
    return nowMs < this.#start || nowMs - this.#start >= RATE_WINDOW_MS;
  }

  /** The same without counting: how long to wait once the limit is used up, in ms. */
  waitMs(key: string, nowMs: number): number {
    if (this.#isOver(nowMs)) return 0;
    return (this.#counts.get(key) ?? 0) >= this.#limit ? this.#start + RATE_WINDOW_MS - nowMs : 0;
  }
}
