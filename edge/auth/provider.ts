import { OAuthAuthorizationServer } from '@cloudflare/workers-oauth-provider';
import { ACCESS_TOKEN_S, REFRESH_TOKEN_S, resourceOf } from '../http/index.ts';
import type { Overlay } from './store/index.ts';

/** What the library reads from its environment: the key-value store, here one request's overlay. */
export interface ProviderEnv {
  OAUTH_KV: Overlay;
}

/** Scopes that can be granted. `offline_access` stands in the server's metadata only, never in the resource's. */
export const SCOPES = ['mcp', 'offline_access'] as const;

/** Paths of the canonical endpoints, the same on every origin. */
export const ENDPOINTS = {
  authorize: '/authorize',
  token: '/token',
  register: '/register',
  revoke: '/revoke',
} as const;

/** A registration of ours has its own expiry; `undefined` tells the library that the client's secret has none. */
const NO_REGISTRATION_TTL = { clientRegistrationTTL: undefined } as unknown as { clientRegistrationTTL: number };

/**
 * The library's authorization server for one origin. It does the code and refresh protocol; metadata documents of
 * clients stay off in it, because it would follow redirects and fetch addresses on private hosts: ours resolves them
 * before and puts the record where the library looks clients up.
 */
export function providerFor(origin: string): OAuthAuthorizationServer<ProviderEnv> {
  const known = providers.get(origin);
  if (known) return known;
  const made = makeProvider(origin);
  providers.set(origin, made);
  return made;
}

/** One a configured origin; they hold no state of their own. */
const providers = new Map<string, OAuthAuthorizationServer<ProviderEnv>>();

function makeProvider(origin: string): OAuthAuthorizationServer<ProviderEnv> {
  return new OAuthAuthorizationServer<ProviderEnv>({
    issuer: origin,
    resources: [resourceOf(origin)],
    authorizeEndpoint: ENDPOINTS.authorize,
    tokenEndpoint: ENDPOINTS.token,
    clientRegistrationEndpoint: ENDPOINTS.register,
    scopesSupported: [...SCOPES],
    accessTokenTTL: ACCESS_TOKEN_S,
    refreshTokenTTL: REFRESH_TOKEN_S,
    refreshTokenIdleTTL: REFRESH_TOKEN_S,
    ...NO_REGISTRATION_TTL,
    // Desktop clients redirect to their own scheme; the page shows where it goes, and a person approves it.
    allowPrivateUseRedirectUris: true,
    onError: () => undefined,
  });
}

/** The library wants an execution context and keeps nothing alive with it. */
export const NO_CONTEXT: ExecutionContext = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
