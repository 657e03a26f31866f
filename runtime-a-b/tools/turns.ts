/**
 * Calls that must not overlap wait here for each other: changes of one root, prompts for one pane. Whoever's time runs out
 * while it waits, or whose caller asks to stop, is withdrawn there and then: its caller hears in time that nothing was
 * done, and its turn never comes.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import { TURN_MARGIN_MS } from '../limits.ts';
import type { ToolContext } from './context.ts';

/** Of a call: how long it may wait, and what ends the wait. */
export type Waiting = Pick<ToolContext, 'signal' | 'deadlineAtMs' | 'nowMs'>;

export class Turns {
  readonly #tails = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` when all earlier work of this place has ended, and gives what it gives. Throws `request_timeout` or
   * `cancelled`, both `not_delivered`, when it was withdrawn before; a call that need not wait runs in any case.
   */
  async take<T>(place: string, waiting: Waiting, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(place);
    const result = before === undefined ? work() : turnAfter(before, waiting).then(work);
    // Who is withdrawn leaves a gap: the next one still waits for all before it. Results are not kept for it.
    const tail = Promise.allSettled([before, result]).then(() => undefined);
    this.#tails.set(place, tail);
    try {
      return await result;
    } finally {
      void tail.then(() => {
        if (this.#tails.get(place) === tail) this.#tails.delete(place);
      });
    }
  }
}

/** Resolves when its turn has come; rejects as soon as that would be too late. */
function turnAfter(before: Promise<unknown>, { signal, deadlineAtMs, nowMs }: Waiting): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (withdraw?: OutcomeError) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (withdraw) reject(withdraw);
      else resolve();
    };
    const onAbort = () => end(withdrawn('cancelled'));
    const leftMs = () => deadlineAtMs - TURN_MARGIN_MS - nowMs();
    const timer = setTimeout(() => end(withdrawn('request_timeout')), Math.max(0, leftMs()));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else void before.then(() => end(leftMs() < 0 ? withdrawn('request_timeout') : undefined));
  });
}

function withdrawn(code: 'request_timeout' | 'cancelled'): OutcomeError {
  const why = code === 'cancelled' ? 'it was cancelled' : 'its time ran out';
  return new OutcomeError(code, `The call waited for earlier ones of the same place until ${why}. Nothing was done.`, {
    delivery: 'not_delivered',
    next: 'Send it again; fewer at once for one project or pane are answered sooner.',
  });
}
