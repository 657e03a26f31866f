/** How a client becomes known (by registering, or by being the address of its own description) and proves itself. */
export { isDocumentId } from './document-rules.ts';
export { Documents } from './documents.ts';
export { assertedClientId, proveClient } from './proving.ts';
export { keepClient, register } from './registration.ts';
