/** What happened, told twice: lifecycle events kept in a ring for subscribers, and signals inside this process. */
export { type EventRing, eventRing } from './ring.ts';
export { type Signal, signal } from './signal.ts';
