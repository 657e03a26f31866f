/** The one way in which anything is asked of the site. Closed while the site refuses, by a clock that nobody can put back. */

import type { Ask } from '../base/index.ts';

export interface Gate {
  /** Refuses, without asking, while the gate is closed. */
  ask: Ask;
  hold(ms: number): void;
  heldMs(): number;
  /** How often a question of ours was answered with 429. */
  refusals(): number;
}

const TOO_MANY = 429;

export function createGate(ask: Ask): Gate {
  let until = 0;
  let refused = 0;
  const heldMs = () => Math.max(0, until - performance.now());
  return {
    heldMs,
    refusals: () => refused,
    hold(ms) {
      until = Math.max(until, performance.now() + ms);
    },
    async ask(path, init) {
      if (heldMs() > 0) throw new Error('The site has refused a moment ago: nothing is asked of it now');
      const answer = await ask(path, init);
      if (answer.status === TOO_MANY) refused += 1;
      return answer;
    },
  };
}
