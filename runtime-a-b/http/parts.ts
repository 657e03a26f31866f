/** What the routes need from the rest of the runtime. */
import type { RuntimeFacts } from '../../contract/link/index.ts';
import type { Log } from '../../local/log/index.ts';
import type { Dispatcher, Revocations } from '../operations/index.ts';

export interface HttpParts {
  dispatcher: Dispatcher;
  revocations: Revocations;
  /** The state folder's `runtime-token`. */
  token: string;
  /** Said without I/O, from what is known already. */
  facts: () => RuntimeFacts;
  /** For `/health`: what cannot block. */
  health: () => Record<string, unknown>;
  /** Which workstation calls at the loopback door mean. */
  deviceId: string;
  nowMs: () => number;
  log: Log;
}
