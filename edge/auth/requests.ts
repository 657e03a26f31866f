/** Sign-ins that wait for a paired workstation: their rows, and the pure decisions about them. */
import type { AuthRequest } from '@cloudflare/workers-oauth-provider';
import { and, asc, desc, eq, gt, inArray, lte } from 'drizzle-orm';
import type { App, PendingRequest } from '../../contract/fleet/index.ts';
import { CODE_TRIES, OPEN_REQUESTS_MAX, REQUEST_MS } from '../http/index.ts';
import { digest, pageToken, randomHex, sixDigits } from '../secrets/index.ts';
import { type AuthStore, requests } from './store/index.ts';

export type RequestRow = typeof requests.$inferSelect;

export function requestView(row: RequestRow): PendingRequest {
  return {
    request_id: row.requestId,
    state: row.state === 'completed' ? 'approved' : row.state,
    app: JSON.parse(row.app) as App,
    scopes: JSON.parse(row.scopes) as string[],
    origin: row.origin,
    opened_at_ms: row.openedAtMs,
    expires_at_ms: row.expiresAtMs,
    tries_left: Math.max(0, CODE_TRIES - row.tries),
  };
}

export const authRequestOf = (row: RequestRow): AuthRequest => JSON.parse(row.request) as AuthRequest;

/** What the code and the page's token are made from. */
const subjectOf = (row: Pick<RequestRow, 'requestId' | 'nonce'>): string => `${row.requestId}:${row.nonce}`;

/** The six digits that the sign-in page shows. */
export const codeOf = (codeSecret: string, row: RequestRow): Promise<string> =>
  sixDigits(codeSecret, 'approval-code', subjectOf(row));

/** The token with which the page asks how its request is doing. */
export const pageTokenOf = (codeSecret: string, row: RequestRow): Promise<string> =>
  pageToken(codeSecret, subjectOf(row));

/** Two authorization requests are the same one when all of this is equal: a reload, a prefetch, a double click. */
export function samenessOf(request: AuthRequest): Promise<string> {
  const { clientId, redirectUri, scope, state, codeChallenge, resource, issuer } = request;
  return digest(
    'same-request',
    clientId,
    redirectUri,
    [...scope].sort().join(' '),
    state,
    codeChallenge ?? '',
    resource ?? '',
    issuer ?? '',
  );
}

export function findRequest(store: AuthStore, requestId: string): RequestRow | undefined {
  return store.db.select().from(requests).where(eq(requests.requestId, requestId)).get();
}

/** The newest live row of the same authorization request. */
export function findSame(store: AuthStore, sameness: string, nowMs: number): RequestRow | undefined {
  return store.db
    .select()
    .from(requests)
    .where(and(eq(requests.sameness, sameness), gt(requests.expiresAtMs, nowMs)))
    .orderBy(desc(requests.openedAtMs))
    .limit(1)
    .get();
}

/** Requests that are not over, oldest first: pending and locked ones. */
export function openRequests(store: AuthStore, nowMs: number): RequestRow[] {
  return store.db
    .select()
    .from(requests)
    .where(and(inArray(requests.state, ['pending', 'locked']), gt(requests.expiresAtMs, nowMs)))
    .orderBy(asc(requests.openedAtMs))
    .all();
}

/**
 * Which open request makes room for a newcomer when all places are taken: the oldest of the address that holds most of
 * them, if it holds at least two more than the newcomer's own address. So one stranger cannot fill the list, and a
 * person who holds a single place is never pushed out. `undefined`: nobody, refuse the newcomer.
 */
export function makeRoom(
  open: readonly Pick<RequestRow, 'requestId' | 'address'>[],
  newcomer: string,
): string | undefined {
  const held = new Map<string, string[]>();
  for (const row of open) held.set(row.address, [...(held.get(row.address) ?? []), row.requestId]);
  const most = [...held.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const own = held.get(newcomer)?.length ?? 0;
  return most.length >= own + 2 ? most[0] : undefined;
}

/** Opens a request, or `undefined` when no place is free and nobody makes room. Expired rows go on the way. */
export function openRequest(
  store: AuthStore,
  wish: { sameness: string; origin: string; address: string; request: AuthRequest; app: App; scopes: string[] },
  nowMs: number,
): RequestRow | undefined {
  return store.atomically(() => {
    store.db.delete(requests).where(lte(requests.expiresAtMs, nowMs)).run();
    const open = openRequests(store, nowMs);
    if (open.length >= OPEN_REQUESTS_MAX) {
      const displaced = makeRoom(open, wish.address);
      if (displaced === undefined) return undefined;
      store.db.delete(requests).where(eq(requests.requestId, displaced)).run();
    }
    const row: RequestRow = {
      requestId: `req_${randomHex(8)}`,
      sameness: wish.sameness,
      nonce: randomHex(16),
      state: 'pending',
      origin: wish.origin,
      address: wish.address,
      request: JSON.stringify(wish.request),
      app: JSON.stringify(wish.app),
      scopes: JSON.stringify(wish.scopes),
      tries: 0,
      openedAtMs: nowMs,
      expiresAtMs: nowMs + REQUEST_MS,
      connectorId: null,
      redirect: null,
    };
    store.db.insert(requests).values(row).run();
    return row;
  });
}
