/** The storage of the `Auth` object: tables, migrations, and the key-value shape that the OAuth library works on. */
export { type AuthStore, openStore } from './open.ts';
export { Overlay } from './overlay.ts';
export { automations, clients, connectors, entries, requests, spent } from './schema.ts';
