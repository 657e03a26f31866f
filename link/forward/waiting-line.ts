/**
 * Calls that wait for a place among those that run, first come, first served. One whose time is nearly over is taken out
 * there and then, so that its caller hears in time that nothing ran.
 */
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { WITHDRAW_MS } from '../limits.ts';
import type { Dispatch } from './dispatches.ts';

export class WaitingLine {
  readonly #line: Dispatch[] = [];
  readonly #now: () => number;
  readonly #overdue: (dispatch: Dispatch) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `now` in monotonic ms. `overdue` gets each call that was taken out because of its time. */
  constructor(now: () => number, overdue: (dispatch: Dispatch) => void) {
    this.#now = now;
    this.#overdue = overdue;
  }

  get length(): number {
    return this.#line.length;
  }

  push(dispatch: Dispatch): void {
    this.#line.push(dispatch);
  }

  shift(): Dispatch | undefined {
    return this.#line.shift();
  }

  /** False when it does not wait here. */
  remove(dispatch: Dispatch): boolean {
    const place = this.#line.indexOf(dispatch);
    if (place >= 0) this.#line.splice(place, 1);
    return place >= 0;
  }

  /** To be called when somebody was left waiting: nobody waits too long from then on. */
  watch(): void {
    clearTimeout(this.#timer);
    if (this.#line.length === 0) return;
    const leftMs = Math.min(...this.#line.map(dueMs)) - this.#now();
    // No call waits longer, whatever its frame says, and a timer takes a far larger number for none at all.
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(0, leftMs), CALL_MS_MAX));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const nowMs = this.#now();
    for (const dispatch of this.#line.filter((one) => dueMs(one) <= nowMs)) {
      this.remove(dispatch);
      this.#overdue(dispatch);
    }
    this.watch();
  }
}

/** Until when a call may wait; for ever, when what became of it is only asked for. Monotonic ms. */
const dueMs = ({ call, receivedMs }: Dispatch): number =>
  call === undefined ? Number.POSITIVE_INFINITY : receivedMs + call.envelope.deadline_ms - WITHDRAW_MS;
