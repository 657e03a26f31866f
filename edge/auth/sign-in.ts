/**
 * A sign-in from the browser's side: opened by an authorization request, followed by its page, ended with a redirect.
 *
 * Everything that may be slow (a client's metadata document) happens before the request is opened and outside any lock.
 */
import { AuthorizationError, type AuthRequest, authorizationErrorRedirect } from '@cloudflare/workers-oauth-provider';
import { eq } from 'drizzle-orm';
import type { SignIn, SignInProblem } from '../consent/index.ts';
import {
  AUTHORIZE_PARAMETER_CHARS,
  AUTHORIZE_QUERY_CHARS,
  CODE_LIFETIME_MS,
  canonicalResource,
  REQUEST_MS,
} from '../http/index.ts';
import { sameSecret, seal, unseal } from '../secrets/index.ts';
import { appOf, grantedScopes, isLocalRedirect } from './app.ts';
import { keepClient } from './clients/index.ts';
import { findConnector, settleClient } from './connectors.ts';
import type { Locks } from './locks.ts';
import { ENDPOINTS, providerFor } from './provider.ts';
import {
  authRequestOf,
  codeOf,
  findRequest,
  findSame,
  openRequest,
  pageTokenOf,
  type RequestRow,
  samenessOf,
} from './requests.ts';
import { type AuthStore, Overlay, requests } from './store/index.ts';

/** What the page at `/authorize` becomes. Only `redirect` leaves this origin, and only to a registered address. */
export type Opened =
  | { kind: 'page'; view: SignIn }
  | { kind: 'redirect'; to: string }
  | { kind: 'ended'; state: 'locked' | 'expired' }
  | { kind: 'error'; problem: SignInProblem; detail?: string };

/** What the page is told when it asks. `redirect` is where the browser goes. */
export type Followed =
  | { state: 'pending'; expires_at_ms: number }
  | { state: 'approved' | 'denied'; redirect: string }
  | { state: 'expired' | 'locked' }
  | { state: 'slow' }
  | { state: 'unknown' };

export interface SignInContext {
  store: AuthStore;
  locks: Locks;
  codeSecret: string;
  clock: () => number;
  /** Makes sure that a client's record is where the library looks it up; false when there is none to be had. */
  resolveClient(clientId: string, address: string): Promise<boolean>;
}

/** Opens a sign-in, or goes on with the same one when its page is loaded again. */
export async function open(
  context: SignInContext,
  input: { query: string; origin: string; address: string },
): Promise<Opened> {
  const query = new URLSearchParams(input.query);
  const tooLong = [...query.values()].some((value) => value.length > AUTHORIZE_PARAMETER_CHARS);
  if (tooLong || input.query.length > AUTHORIZE_QUERY_CHARS) return failure('too_long');
  const clientId = query.get('client_id') ?? '';
  if (clientId !== '' && !(await context.resolveClient(clientId, input.address))) {
    return failure('unreadable_app');
  }
  const parsed = await parse(context, input.origin, query);
  if ('kind' in parsed) return parsed;
  const nowMs = context.clock();
  const sameness = await samenessOf(parsed);
  const same = findSame(context.store, sameness, nowMs);
  if (same) {
    const again = await goOn(context, same);
    if (again) return again;
  }
  const client = await providerFor(input.origin)
    .getOAuthApi({ OAUTH_KV: new Overlay(context.store, nowMs) })
    .lookupClient(parsed.clientId);
  if (!client) return failure('unknown_app');
  const row = openRequest(
    context.store,
    {
      sameness,
      origin: input.origin,
      address: input.address,
      request: parsed,
      app: appOf(client, parsed.redirectUri),
      scopes: grantedScopes(parsed.scope),
    },
    nowMs,
  );
  keepClient(context.store, client.clientId, nowMs + REQUEST_MS + CODE_LIFETIME_MS);
  if (!row) return failure('too_many_open');
  return { kind: 'page', view: await viewOf(context, row) };
}

/** Lets the library judge the request; a redirect only after client and redirect address were found to belong together. */
async function parse(context: SignInContext, origin: string, query: URLSearchParams): Promise<AuthRequest | Opened> {
  const asked = query.getAll('resource').filter((value) => value !== '');
  query.delete('resource');
  for (const value of asked) query.append('resource', canonicalResource(origin, value));
  const request = new Request(`${origin}${ENDPOINTS.authorize}?${query}`);
  const api = providerFor(origin).getOAuthApi({ OAUTH_KV: new Overlay(context.store, context.clock()) });
  try {
    const parsed = await api.parseAuthRequest(request);
    if (parsed.codeChallenge !== undefined && parsed.codeChallengeMethod === 'S256') return parsed;
    return {
      kind: 'redirect',
      to: authorizationErrorRedirect(parsed, 'invalid_request', 'PKCE with S256 is required'),
    };
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    if (error.redirectTo !== undefined) return { kind: 'redirect', to: error.redirectTo };
    return error.description === 'Invalid client_id'
      ? failure('unknown_app')
      : failure('bad_request', error.description);
  }
}

/** The same request again: its page, or where it went; `undefined` when it is used up and a new one is due. */
async function goOn(context: SignInContext, row: RequestRow): Promise<Opened | undefined> {
  if (row.state === 'pending') return { kind: 'page', view: await viewOf(context, row) };
  if (row.state === 'locked') return { kind: 'ended', state: 'locked' };
  const connector = row.connectorId === null ? undefined : findConnector(context.store, row.connectorId);
  if (row.state !== 'denied' && (connector?.state !== 'approved' || connector.connectedAtMs !== null)) return undefined;
  const followed = await settle(context, row);
  return 'redirect' in followed ? { kind: 'redirect', to: followed.redirect } : undefined;
}

async function viewOf(context: SignInContext, row: RequestRow): Promise<SignIn> {
  return {
    requestId: row.requestId,
    code: await codeOf(context.codeSecret, row),
    pageToken: await pageTokenOf(context.codeSecret, row),
    app: JSON.parse(row.app),
    loopback: isLocalRedirect(authRequestOf(row).redirectUri),
    scopes: JSON.parse(row.scopes),
    expiresAtMs: row.expiresAtMs,
  };
}

/** How a request is doing, for its page only. Asking again after the end gives the same end. */
export async function follow(
  context: SignInContext,
  input: { requestId: string; pageToken: string; cancel: boolean },
): Promise<Followed> {
  const row = findRequest(context.store, input.requestId);
  if (!row) return { state: 'expired' };
  if (!sameSecret(await pageTokenOf(context.codeSecret, row), input.pageToken)) return { state: 'unknown' };
  if (row.state === 'pending' && input.cancel) {
    context.store.db.update(requests).set({ state: 'denied' }).where(eq(requests.requestId, row.requestId)).run();
    return settle(context, { ...row, state: 'denied' });
  }
  return settle(context, row);
}

async function settle(context: SignInContext, row: RequestRow): Promise<Followed> {
  if (row.state === 'denied') {
    const to = authorizationErrorRedirect(authRequestOf(row), 'access_denied', 'The request was denied');
    return { state: 'denied', redirect: to };
  }
  if (row.state === 'locked') return { state: 'locked' };
  if (row.expiresAtMs <= context.clock()) return { state: 'expired' };
  if (row.state === 'pending') return { state: 'pending', expires_at_ms: row.expiresAtMs };
  const redirect = await complete(context, row.requestId);
  return redirect === undefined ? { state: 'expired' } : { state: 'approved', redirect };
}

/**
 * Makes the grant of an approved request, once, and says where the browser goes with its code. The address is kept
 * sealed under the page's token, so that a page whose answer got lost asks again and gets the same one.
 */
async function complete(context: SignInContext, requestId: string): Promise<string | undefined> {
  return context.locks.run(`request:${requestId}`, async () => {
    const row = findRequest(context.store, requestId);
    if (!row?.connectorId) return undefined;
    const token = await pageTokenOf(context.codeSecret, row);
    if (row.redirect !== null) return unseal(token, 'redirect', row.redirect);
    const request = authRequestOf(row);
    if (!(await context.resolveClient(request.clientId, row.address))) return undefined;
    const nowMs = context.clock();
    const overlay = new Overlay(context.store, nowMs);
    const { redirectTo } = await providerFor(row.origin)
      .getOAuthApi({ OAUTH_KV: overlay })
      .completeAuthorization({
        request,
        userId: row.connectorId,
        metadata: {},
        scope: JSON.parse(row.scopes),
        props: {},
        revokeExistingGrants: false,
      });
    const sealed = await seal(token, 'redirect', redirectTo);
    const { connectorId } = row;
    return context.store.atomically(() => {
      if (findConnector(context.store, connectorId)?.state !== 'approved') return undefined;
      overlay.commit();
      context.store.db
        .update(requests)
        .set({ state: 'completed', redirect: sealed })
        .where(eq(requests.requestId, requestId))
        .run();
      settleClient(context.store, request.clientId, nowMs);
      return redirectTo;
    });
  });
}

const failure = (problem: SignInProblem, detail?: string): Opened => ({
  kind: 'error',
  problem,
  ...(detail === undefined ? {} : { detail }),
});
