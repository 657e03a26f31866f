/**
 * Who calls over MCP. A validated token is remembered in the isolate for at most 30 s, and only for calls that reach a
 * `Workstation`, which refuses a revoked connector by its tombstone; whatever the edge answers itself asks afresh.
 */
import {
  BEARER_CHARS_MAX,
  CORS,
  countRefusal,
  type IdentityEnv,
  MAIN,
  NO_STORE,
  originOf,
  parseOrigins,
  refusedTooOften,
  resourceMetadataOf,
  TOKEN_CACHE_MAX,
  TOKEN_CACHE_MS,
} from '../http/index.ts';
import type { Auth } from './object.ts';
import type { EdgePrincipal } from './principal.ts';
import type { Validated } from './validation.ts';

export type AuthEnv = Omit<IdentityEnv, 'AUTH'> & { AUTH: DurableObjectNamespace<Auth> };

type Remembered = { principal: EdgePrincipal; untilMs: number };

/** Per isolate, and only a shortcut: losing it costs one question to `Auth`. */
const remembered = new Map<string, Remembered>();

/** The bearer of a request; `undefined` when there is none, `null` when the header is something else. */
function bearerOf(headers: Headers): string | undefined | null {
  const header = headers.get('authorization');
  if (header === null || header.trim() === '') return undefined;
  const token = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  return token !== undefined && token.length <= BEARER_CHARS_MAX ? token : null;
}

/**
 * The caller of an MCP request, or the finished 401 with the absolute challenge. `fresh` asks `Auth` even when the
 * isolate remembers the token.
 */
export async function authenticate(
  request: Request,
  env: AuthEnv,
  options: { fresh?: boolean } = {},
): Promise<{ ok: true; principal: EdgePrincipal } | { ok: false; response: Response }> {
  const origin = originOf(parseOrigins(env.ORIGINS), request.url);
  const token = bearerOf(request.headers);
  if (!token) return { ok: false, response: unauthorized(origin, token === null) };
  const nowMs = Date.now();
  const key = `${origin} ${token}`;
  const known = remembered.get(key);
  if (known && known.untilMs > nowMs && !options.fresh) return { ok: true, principal: known.principal };
  const waitMs = refusedTooOften(request.headers, nowMs);
  if (waitMs > 0) return { ok: false, response: tooOften(waitMs) };
  const valid = looksIssued(token) ? await env.AUTH.getByName(MAIN).validate(token, origin) : null;
  if (!valid) {
    remembered.delete(key);
    countRefusal(request.headers, nowMs);
    return { ok: false, response: unauthorized(origin, true) };
  }
  remember(key, valid, nowMs);
  return { ok: true, principal: valid.principal };
}

/** The 429 of an address that showed too many tokens that are none. */
function tooOften(waitMs: number): Response {
  const message = 'Too many requests from your address were refused. Wait as long as Retry-After says.';
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32000, message } },
    { status: 429, headers: { ...CORS, ...NO_STORE, 'retry-after': String(Math.ceil(waitMs / 1000)) } },
  );
}

/** Three parts, the first of them ours: anything else cannot be a token and costs no question. */
function looksIssued(token: string): boolean {
  return /^(conn|auto)_[0-9a-f]{32}:[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{1,128}$/.test(token);
}

function remember(key: string, valid: Validated, nowMs: number): void {
  if (remembered.size >= TOKEN_CACHE_MAX) {
    const oldest = remembered.keys().next();
    if (!oldest.done) remembered.delete(oldest.value);
  }
  remembered.delete(key);
  remembered.set(key, {
    principal: valid.principal,
    untilMs: Math.min(valid.expiresAtMs, nowMs + TOKEN_CACHE_MS),
  });
}

/** Drops one token from this isolate: its owner has just given it back. */
export function forgetBearer(token: string): void {
  for (const key of remembered.keys()) if (key.endsWith(` ${token}`)) remembered.delete(key);
}

/** Drops a connector's tokens from this isolate, once anybody has said that it is revoked. */
export function forgetToken(connectorId: string): void {
  for (const [key, known] of remembered) if (known.principal.id === connectorId) remembered.delete(key);
}

/**
 * The 401 of the MCP endpoint: a JSON-RPC error, and the challenge from which a host finds its way to a sign-in. The
 * address is absolute (claude-ai-mcp#136), and `invalid_token` says that the token that was shown is the problem.
 */
export function unauthorized(origin: string, tokenShown: boolean): Response {
  const parts = [
    `resource_metadata="${resourceMetadataOf(origin)}"`,
    'scope="mcp"',
    ...(tokenShown
      ? [
          'error="invalid_token"',
          'error_description="The access token is unknown, expired, revoked or for another resource"',
        ]
      : []),
  ];
  const message = tokenShown
    ? 'Unauthorized: the access token is unknown, expired, revoked or for another resource. Sign in again.'
    : 'Unauthorized: sign in first.';
  return Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32000, message } },
    { status: 401, headers: { ...CORS, ...NO_STORE, 'www-authenticate': `Bearer ${parts.join(', ')}` } },
  );
}
