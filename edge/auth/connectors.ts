/** The connectors: one row a grant. The row says who may call; the library's grant under it says with which token. */
import { and, eq, gte, inArray, lt } from 'drizzle-orm';
import type { App, Connector } from '../../contract/fleet/index.ts';
import { UNGRANTED_CLIENT_MS } from '../http/index.ts';
import { type AuthStore, clients, connectors, entries, spent } from './store/index.ts';

export type ConnectorRow = typeof connectors.$inferSelect;

export function connectorView(row: ConnectorRow): Connector {
  return {
    connector_id: row.connectorId,
    state: row.state,
    app: JSON.parse(row.app) as App,
    label: row.label,
    scopes: JSON.parse(row.scopes) as string[],
    read_only: row.readOnly,
    ...(row.deviceId === null ? {} : { device_id: row.deviceId }),
    ...(row.origin === null ? {} : { origin: row.origin }),
    approved_at_ms: row.approvedAtMs,
    approved_by: row.approvedBy,
    ...(row.connectedAtMs === null ? {} : { connected_at_ms: row.connectedAtMs }),
    ...(row.lastUsedAtMs === null ? {} : { last_used_at_ms: row.lastUsedAtMs }),
    ...(row.endedAtMs === null ? {} : { ended_at_ms: row.endedAtMs }),
    ...(row.endedWhy === null ? {} : { ended_why: row.endedWhy }),
  };
}

export function findConnector(store: AuthStore, connectorId: string): ConnectorRow | undefined {
  return store.db.select().from(connectors).where(eq(connectors.connectorId, connectorId)).get();
}

/** Every connector, ended ones too, oldest first (ids are time-ordered). */
export function allConnectors(store: AuthStore): ConnectorRow[] {
  return store.db.select().from(connectors).orderBy(connectors.connectorId).all();
}

/**
 * Takes everything away from a connector at once: its grant, its tokens, its spent secrets. From here on no token of it
 * is valid; `revoking` stays until every workstation has confirmed. Ending it twice changes nothing.
 */
export function endConnector(
  store: AuthStore,
  connectorId: string,
  why: string,
  nowMs: number,
): ConnectorRow | undefined {
  return store.atomically(() => {
    const row = findConnector(store, connectorId);
    if (row?.state !== 'approved') return row;
    for (const prefix of [`grant:${connectorId}:`, `token:${connectorId}:`]) {
      store.db
        .delete(entries)
        .where(and(gte(entries.key, prefix), lt(entries.key, `${prefix}\uffff`)))
        .run();
    }
    store.db.delete(spent).where(eq(spent.connectorId, connectorId)).run();
    const ended = { state: 'revoking' as const, endedAtMs: nowMs, endedWhy: why };
    store.db.update(connectors).set(ended).where(eq(connectors.connectorId, connectorId)).run();
    settleClient(store, row.clientId, nowMs);
    return { ...row, ...ended };
  });
}

/** Every workstation has written the tombstone. */
export function confirmEnded(store: AuthStore, connectorId: string): void {
  store.db.update(connectors).set({ state: 'revoked' }).where(eq(connectors.connectorId, connectorId)).run();
}

/** Connectors whose end some workstation has not confirmed. */
export function unconfirmed(store: AuthStore): ConnectorRow[] {
  return store.db.select().from(connectors).where(eq(connectors.state, 'revoking')).all();
}

/** A client lives for as long as it owns a grant, and for an hour without one. Call it when grants come or go. */
export function settleClient(store: AuthStore, clientId: string, nowMs: number): void {
  const owned = store.db
    .select({ id: connectors.connectorId })
    .from(connectors)
    .where(and(eq(connectors.clientId, clientId), inArray(connectors.state, ['approved'])))
    .limit(1)
    .get();
  store.db
    .update(clients)
    .set({ expiresAtMs: owned ? null : nowMs + UNGRANTED_CLIENT_MS })
    .where(eq(clients.clientId, clientId))
    .run();
}
