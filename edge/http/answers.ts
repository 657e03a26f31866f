/** The few response shapes that the identity half uses. */
import { FLEET_ERRORS, type FleetErrorCode } from '../../contract/fleet/index.ts';
import type { Refused } from './bindings.ts';

export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Open to every origin: no cookie is used, so there is nothing that another site could ride on. */
export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version',
  'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id',
  'access-control-max-age': '86400',
} as const;

/** JSON that nobody may keep. */
export function privateJson(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...NO_STORE, ...headers } });
}

/** An error of the OAuth protocol (RFC 6749 section 5.2, RFC 7591 section 3.2.2). */
export function oauthError(
  status: number,
  error: string,
  description: string,
  headers: Record<string, string> = {},
): Response {
  return privateJson({ error, error_description: description }, status, { ...CORS, ...headers });
}

/** A refusal of the fleet's REST as data. */
export function refusal(
  code: FleetErrorCode,
  message: string,
  next: string,
  extra: Partial<Omit<Refused, 'ok' | 'code' | 'message' | 'next'>> = {},
): Refused {
  return { ok: false, code, message, next, ...extra };
}

/** The same as a response. Every 401 carries the edge's clock, in the body and as `Date`. */
export function refuse(refused: Refused, nowMs: number): Response {
  const status = FLEET_ERRORS[refused.code as FleetErrorCode];
  const headers: Record<string, string> = { date: new Date(nowMs).toUTCString() };
  if (refused.retry_after_ms !== undefined) headers['retry-after'] = String(Math.ceil(refused.retry_after_ms / 1000));
  const retryable = status === 429 || status === 503 || refused.code === 'device_clock_skew';
  return privateJson({ ...refused, retryable, ...(status === 401 ? { now_ms: nowMs } : {}) }, status, headers);
}
