/** One outbound socket: opening it, its life and death, and what to do after it ended. */
export { linkAddress } from './address.ts';
export { backoffMs } from './backoff.ts';
export { afterEnding, type Ending, type History, type Next } from './closing.ts';
export { type Clock, Connection, type ConnectionEvents, type ConnectionOptions } from './connection.ts';
export { look, type Verdict, type Vitals } from './liveness.ts';
