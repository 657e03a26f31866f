/** What goes by itself: expired rows, sign-ins that were approved and never fetched, connectors that nobody uses. */
import { and, eq, lt, lte } from 'drizzle-orm';
import { CODE_LIFETIME_MS, CONNECTOR_IDLE_MS, ENDED_CONNECTOR_MS, REQUEST_MS, SPENT_MEMORY_MS } from '../http/index.ts';
import { allConnectors, type ConnectorRow, endConnector } from './connectors.ts';
import { type AuthStore, clients, connectors, entries, requests } from './store/index.ts';
import { forgetSpent } from './tokens.ts';

/** Why a connector ends by itself, or `undefined` while it goes on. Pure. */
export function dueEnd(
  row: Pick<ConnectorRow, 'state' | 'approvedAtMs' | 'connectedAtMs' | 'lastUsedAtMs'>,
  nowMs: number,
): 'never_connected' | 'idle' | undefined {
  if (row.state !== 'approved') return undefined;
  if (row.connectedAtMs === null) {
    return nowMs - row.approvedAtMs > REQUEST_MS + CODE_LIFETIME_MS ? 'never_connected' : undefined;
  }
  return nowMs - (row.lastUsedAtMs ?? row.connectedAtMs) > CONNECTOR_IDLE_MS ? 'idle' : undefined;
}

/** Deletes what is over and ends what is due; the ended connectors still have to be told to the workstations. */
export function sweep(store: AuthStore, nowMs: number): void {
  for (const row of allConnectors(store)) {
    const why = dueEnd(row, nowMs);
    if (why) endConnector(store, row.connectorId, why, nowMs);
  }
  store.atomically(() => {
    store.db.delete(entries).where(lte(entries.expiresAtMs, nowMs)).run();
    store.db.delete(requests).where(lte(requests.expiresAtMs, nowMs)).run();
    store.db.delete(clients).where(lte(clients.expiresAtMs, nowMs)).run();
    store.db
      .delete(connectors)
      .where(and(eq(connectors.state, 'revoked'), lt(connectors.endedAtMs, nowMs - ENDED_CONNECTOR_MS)))
      .run();
    forgetSpent(store, nowMs, SPENT_MEMORY_MS);
  });
}
