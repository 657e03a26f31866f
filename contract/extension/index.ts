/** What the extension and the runtime say to each other over the private socket, beside MCP and the event stream. */
export * from './registry.ts';
export * from './tasks.ts';
export type { WakeOutcome, WakeStanding } from './wake.ts';

/** Where each route lives, so that both ends spell it the same. */
export const EXTENSION_ROUTE = {
  registry: '/extension/browser/registry',
  actuation: '/extension/browser/actuation',
  tasks: '/extension/agent/tasks',
  taskAck: '/extension/agent/tasks/ack',
  controlAction: '/extension/control/action',
  controlLookup: '/extension/control/lookup',
  controlWatch: '/extension/control/watch',
  fleet: '/extension/fleet',
} as const;
