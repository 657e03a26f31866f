/** What a paired workstation may do with a sign-in: approve it with the code that the page shows, or deny it. */
import { eq } from 'drizzle-orm';
import type { App, Connector, ConnectorApprove, PendingRequest } from '../../contract/fleet/index.ts';
import { timeOrdered } from '../../contract/ids.ts';
import { CODE_TRIES, type Refused, refusal } from '../http/index.ts';
import { sameSecret } from '../secrets/index.ts';
import { connectorView, findConnector } from './connectors.ts';
import { codeOf, findRequest, openRequests, type RequestRow, requestView } from './requests.ts';
import { type AuthStore, connectors, requests } from './store/index.ts';

type Approved = { ok: true; connector: Connector };

/** The request that an approval means: the named one, or the only open one. */
function meant(store: AuthStore, requestId: string | undefined, nowMs: number): RequestRow | Refused {
  if (requestId !== undefined) return findRequest(store, requestId) ?? unknownRequest(requestId);
  const open = openRequests(store, nowMs);
  const [only] = open;
  if (only && open.length === 1) return only;
  if (only) {
    return refusal(
      'request_ambiguous',
      `${open.length} sign-ins are open. Nothing was approved.`,
      'Name one: `herdr-mcp connector approve <request-id>`.',
      { candidates: open.map((row) => row.requestId) },
    );
  }
  return refusal(
    'request_not_found',
    'No sign-in is waiting. Nothing was approved.',
    'Start the sign-in in the app, then approve while its page is open.',
  );
}

/**
 * Approves a sign-in and makes its connector. The code is checked in the same transaction that counts the tries, so that
 * no two guesses share one. Repeating a successful approval answers with the same connector.
 */
export async function approve(
  store: AuthStore,
  codeSecret: string,
  input: ConnectorApprove & { by: string },
  nowMs: number,
): Promise<Approved | Refused> {
  const found = meant(store, input.request_id, nowMs);
  if ('ok' in found) return found;
  const code = await codeOf(codeSecret, found);
  return store.atomically(() => {
    const row = findRequest(store, found.requestId);
    if (!row) return unknownRequest(found.requestId);
    if (row.state === 'locked') return locked(row);
    if (row.state === 'denied') return settled(row);
    if (row.expiresAtMs <= nowMs) return expired(row);
    if (!sameSecret(code, input.code)) return wrongCode(store, row);
    const before = row.connectorId === null ? undefined : findConnector(store, row.connectorId);
    if (before) return { ok: true, connector: connectorView(before) };
    return makeConnector(store, row, input, nowMs);
  });
}

function wrongCode(store: AuthStore, row: RequestRow): Refused {
  const tries = row.tries + 1;
  const state = row.state === 'pending' && tries >= CODE_TRIES ? ('locked' as const) : row.state;
  store.db.update(requests).set({ tries, state }).where(eq(requests.requestId, row.requestId)).run();
  if (state === 'locked') return locked(row);
  return refusal(
    'invalid_code',
    `That is not the code of ${row.requestId}. Nothing was approved.`,
    'Read the six digits again from the sign-in page of the same request.',
    { tries_left: Math.max(0, CODE_TRIES - tries) },
  );
}

function makeConnector(
  store: AuthStore,
  row: RequestRow,
  input: ConnectorApprove & { by: string },
  nowMs: number,
): Approved {
  const app = JSON.parse(row.app) as App;
  const connector = {
    connectorId: `conn_${timeOrdered(nowMs, crypto.getRandomValues(new Uint8Array(10)))}`,
    state: 'approved' as const,
    clientId: app.client_id,
    app: row.app,
    label: input.label ?? app.name,
    scopes: row.scopes,
    readOnly: input.read_only ?? false,
    deviceId: input.device_id ?? null,
    origin: row.origin,
    approvedAtMs: nowMs,
    approvedBy: input.by,
    connectedAtMs: null,
    lastUsedAtMs: null,
    endedAtMs: null,
    endedWhy: null,
  };
  store.db.insert(connectors).values(connector).run();
  store.db
    .update(requests)
    .set({ state: 'approved', connectorId: connector.connectorId })
    .where(eq(requests.requestId, row.requestId))
    .run();
  return { ok: true, connector: connectorView(connector) };
}

/** Ends a sign-in without granting anything. Denying it again is the same answer; an approved one has to be revoked. */
export function deny(
  store: AuthStore,
  requestId: string,
  nowMs: number,
): { ok: true; request: PendingRequest } | Refused {
  return store.atomically(() => {
    const row = findRequest(store, requestId);
    if (!row) return unknownRequest(requestId);
    if (row.state === 'approved' || row.state === 'completed') return settled(row);
    if (row.state !== 'denied' && row.expiresAtMs <= nowMs) return expired(row);
    store.db.update(requests).set({ state: 'denied' }).where(eq(requests.requestId, requestId)).run();
    return { ok: true, request: requestView({ ...row, state: 'denied' }) };
  });
}

export const unknownRequest = (requestId: string): Refused =>
  refusal(
    'request_not_found',
    `There is no sign-in ${requestId}; it may have expired. Nothing was changed.`,
    'Run `herdr-mcp connector list` to see what is open, or start the sign-in again in the app.',
  );

const locked = (row: RequestRow): Refused =>
  refusal(
    'locked',
    `${row.requestId} is locked after ${CODE_TRIES} wrong codes. Nothing was approved.`,
    'Start the sign-in again in the app: it gets a new request and a new code.',
    { tries_left: 0 },
  );

const expired = (row: RequestRow): Refused =>
  refusal(
    'request_expired',
    `${row.requestId} is older than ten minutes. Nothing was approved.`,
    'Start the sign-in again in the app.',
  );

const settled = (row: RequestRow): Refused =>
  refusal(
    'request_settled',
    `${row.requestId} is already ${row.state === 'denied' ? 'denied' : 'approved'}. Nothing was changed.`,
    row.state === 'denied'
      ? 'Start the sign-in again in the app.'
      : 'Revoke the connector instead: `herdr-mcp connector revoke`.',
  );
