/**
 * How long a peer is waited for. After a sleep (a suspended machine, a stopped process, a loop that was held up) timers
 * come before what was received meanwhile, and a peer on the same machine has slept as well. Whoever judges a peer by a
 * timer of his own would then call an answer missing that lies before him.
 */
import { AWAKE_MS, LATE_MS } from '../limits.ts';

export interface Patience {
  /** The peer has answered, or nobody waits any more. */
  end(): void;
}

/**
 * Calls `over` once, `ms` from now, when what came until then has been read. Was this process itself not there when the
 * time was up, the peer has {@link AWAKE_MS} more.
 */
export function patience(ms: number, over: () => void): Patience {
  return begin(ms, over, true);
}

/** A signal that aborts as {@link patience} calls, with a `TimeoutError`. It keeps no process alive. */
export function timeLimit(ms: number): AbortSignal {
  const limit = new AbortController();
  begin(ms, () => limit.abort(new DOMException('It took too long.', 'TimeoutError')), false);
  return limit.signal;
}

function begin(ms: number, over: () => void, holds: boolean): Patience {
  let timer: NodeJS.Timeout;
  let turn: NodeJS.Immediate | undefined;
  const wait = (forMs: number): void => {
    const dueMs = performance.now() + forMs;
    timer = setTimeout(() => {
      if (performance.now() - dueMs >= LATE_MS) wait(AWAKE_MS);
      else turn = setImmediate(over);
    }, forMs);
    if (!holds) timer.unref();
  };
  wait(ms);
  return {
    end() {
      clearTimeout(timer);
      clearImmediate(turn);
    },
  };
}
