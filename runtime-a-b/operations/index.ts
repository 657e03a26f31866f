/**
 * The operations ledger and the one gate that every call passes. What was dispatched and what became of it is true here
 * and nowhere else; the edge keeps receipts of what it saw.
 */
export { type Answer, type Finished, type IntendedChange, refused } from './answer.ts';
export { AuditTrail } from './audit-trail.ts';
export { Boots } from './boots.ts';
export { keyDigest, sha256 } from './digest.ts';
export { Dispatcher, type HeldDispatch } from './dispatcher.ts';
export type { Call, Door } from './dispatcher-parts.ts';
export { type Boot, Ledger, type Operation } from './ledger.ts';
export { receipt, resultJson } from './receipt.ts';
export type { ExtraBlock } from './result-bytes.ts';
export { Revocations } from './revocations.ts';
