/** Everything that the conformance tests share: a server, a caller that checks what it sees, and a way to wait. */
export { hasStatus, startAgent } from './agents.ts';
export { Caller, exchange, Line, type Pushed, Refused, type Subscription } from './caller.ts';
export { noteTurnIdentity, theirs } from './differences.ts';
export { until } from './poll.ts';
export { schemaMethods } from './schema.ts';
export { endHerdr, type Herdr, startHerdr } from './server.ts';
