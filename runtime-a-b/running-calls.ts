/** Which calls run in this process now, reads too: the ledger knows writes only. */
import type { Work } from '../local/memory/index.ts';
import type { Call } from './operations/index.ts';

export interface RunningCall {
  dispatchId: string;
  tool: string;
  principal: string;
  sinceMs: number;
}

export class RunningCalls {
  readonly #calls = new Map<string, RunningCall>();
  #taken = 0;

  /** The tools, with each call known while it runs. */
  tracking<T>(nowMs: () => number, perform: (call: Call) => Promise<T>): (call: Call) => Promise<T> {
    return async (call) => {
      this.#taken += 1;
      const { dispatch_id: dispatchId, tool, principal } = call.envelope;
      this.#calls.set(dispatchId, { dispatchId, tool, principal: principal.label || principal.id, sinceMs: nowMs() });
      try {
        return await perform(call);
      } finally {
        this.#calls.delete(dispatchId);
      }
    };
  }

  /** How many run, and how many there were so far. */
  work(): Work {
    return { active: this.#calls.size, taken: this.#taken };
  }

  /** The oldest first. */
  list(): RunningCall[] {
    return [...this.#calls.values()];
  }
}
