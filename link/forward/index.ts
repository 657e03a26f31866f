/**
 * From a call frame to the runtime and back to a result. Decided once here: which generation takes a call, how many run
 * at once, what a lost connection to the runtime means, and how long a result is kept. Nothing here knows the socket.
 */
export type { Kept } from './dispatches.ts';
export { type ForwardEvents, Forwarder } from './forwarder.ts';
export type { Lease, Leases } from './leases.ts';
export { RuntimeClient } from './runtime-client.ts';
export { RuntimeWatch } from './runtime-watch.ts';
