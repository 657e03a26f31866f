/** What this browser claims at the runtime before it does it, as another one that has the chat would. Plain values. */
import type { WakeOutcome } from '../../../contract/extension/wake.ts';

/** What a message claims before it is typed. */
export interface Claims {
  /** What it is about, as every browser names it. */
  keys: readonly string[];
  /** Of what is done more than once: so long after another browser has done it, this one may. */
  againMs?: number;
}

/** What is asked of the runtime. `panes`: whose settle it tells of in general words; another one's tasks go before that. */
export interface Claim extends Claims {
  conversation: string;
  panes: readonly string[];
  byPerson: boolean;
}

/** What came to an end. `unclaimed`: it was begun by somebody who has claimed nothing. */
export interface Told {
  id: string;
  claim: Claim;
  outcome: WakeOutcome;
  unclaimed: boolean;
}
