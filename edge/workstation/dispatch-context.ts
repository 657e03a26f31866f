/** What a call's life inside the object stands on. */
import type { Connections } from './connections.ts';
import type { Receipts } from './receipts.ts';

export interface DispatchContext {
  connections: Connections;
  receipts: Receipts;
  /** When this instance of the object began; dispatches older than it may have been sent by its predecessor. */
  bornAtMs: number;
  /** When a link was last seen before the present one; see the `device` row. */
  lastSeenAtMs: () => number | undefined;
  /** Makes sure that a sweep is scheduled. */
  receiptWritten: () => void;
}
