/** How a client becomes known: by registering, or by being the address of its own description. */
export { isDocumentId } from './document-rules.ts';
export { Documents } from './documents.ts';
export { keepClient, register } from './registration.ts';
