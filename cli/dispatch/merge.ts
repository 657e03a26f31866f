/** One list out of two witnesses. Pure. */
import { type DispatchReceipt, entryOfReceipt } from '../../contract/fleet/index.ts';

/** A dispatch as the runtime's ledger tells it, or as the edge saw it when the ledger has nothing. */
export interface Entry {
  dispatch_id: string;
  tool: string;
  state: string;
  delivery: string;
  code?: string;
  [fact: string]: unknown;
}

/**
 * Both lists as one, newest first. The ledger's word on what ran is the better one; the edge adds what it alone saw. A
 * receipt without a row in a ledger that answered stays what the edge says: it may be on its way at this moment.
 */
export function merge(edge: readonly DispatchReceipt[], ledger: readonly Entry[] | undefined): Entry[] {
  const entries = new Map<string, Entry>(edge.map((receipt) => [receipt.dispatch_id, entryOfReceipt(receipt)]));
  for (const known of ledger ?? []) entries.set(known.dispatch_id, { ...entries.get(known.dispatch_id), ...known });
  // Ids begin with the time, so they sort by age.
  return [...entries.values()].sort((a, b) => (a.dispatch_id < b.dispatch_id ? 1 : -1));
}
