/** What the extension and the runtime say to each other over the private socket, beside MCP and the event stream. */
export * from './registry.ts';
export * from './tasks.ts';

/** Where each route lives, so that both ends spell it the same. */
export const EXTENSION_ROUTE = {
  registry: '/extension/browser/registry',
  tasks: '/extension/agent/tasks',
  taskAck: '/extension/agent/tasks/ack',
} as const;
