/** What the routes need from the rest of the runtime. */
import type { Principal } from '../../contract/call.ts';
import type { RuntimeFacts } from '../../contract/link/index.ts';
import type { Log } from '../../local/log/index.ts';
import type { Browser, Dispatches } from '../browser/index.ts';
import type { Continuity } from '../continuity/index.ts';
import type { Fleet } from '../fleet/index.ts';
import type { RunningNow } from '../generations/index.ts';
import type { LiveHerdr } from '../herdr/index.ts';
import type { Dispatcher, Operation, Revocations } from '../operations/index.ts';
import type { Semantic } from '../semantic/index.ts';
import type { Tasks } from '../tasks/index.ts';

export interface HttpParts {
  dispatcher: Dispatcher;
  revocations: Revocations;
  /** The state folder's `runtime-token`. */
  token: string;
  /** Said without I/O, from what is known already. */
  facts: () => RuntimeFacts;
  /** For `/health`: what cannot block. */
  health: () => Record<string, unknown>;
  /** What runs here, for whoever pauses or drains this generation. */
  running: () => RunningNow;
  /** Whether the pointer names this generation: the extension's socket is the active one's. */
  isActive: () => boolean;
  /** Which workstation calls at the loopback door mean. */
  deviceId: string;
  /** Asked by the extension over its socket. */
  semantic: Semantic;
  /** Journaled into by the extension over its socket. */
  continuity: Pick<Continuity, 'acceptTurn' | 'methods'>;
  /** Registered into by the extension over its socket. */
  browser: Pick<Browser, 'handle'>;
  /** What is dispatched into web chats: taken and reported by the extension over its socket. */
  dispatches: Pick<Dispatches, 'actuate'>;
  /** The inbox of a conversation, read and acknowledged by the extension over its socket. */
  tasks: Pick<Tasks, 'inboxOf' | 'acknowledgeFor'>;
  /** Listed for the Side Panel over the extension's socket. */
  fleet: Fleet;
  /** What stands in the ledger under this key of this caller; undefined when nothing ever did. */
  recorded: (
    principal: Pick<Principal, 'kind' | 'id'>,
    key: string,
  ) => { operation: Operation; body: Uint8Array | undefined } | undefined;
  live: Pick<LiveHerdr, 'view'>;
  nowMs: () => number;
  log: Log;
}
