/**
 * A client that signs its token requests (`private_key_jwt`, RFC 7523). Only clients with a document of their own can:
 * their keys stand in it. Every failure looks the same from outside.
 */
import { ASSERTION_LEEWAY_S, ASSERTION_LIFETIME_S, KEYS_TRIED_MAX, RSA_BITS_MIN } from '../../http/index.ts';
import type { ClientRecord } from './document-rules.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface ParsedAssertion {
  issuer: string;
  subject: string;
  audiences: string[];
  expiresAtS: number;
  notBeforeS: number;
  jti: string;
  algorithm: string;
  keyId: string | undefined;
  signed: string;
  signature: Uint8Array<ArrayBuffer>;
}

/** Splits an assertion and reads what it claims; `undefined` when it is not one. Checks nothing yet. */
export function parseAssertion(assertion: string): ParsedAssertion | undefined {
  const [head, body, signature, ...rest] = assertion.split('.');
  if (!head || !body || !signature || rest.length > 0) return undefined;
  try {
    const header = JSON.parse(new TextDecoder().decode(bytesOf(head))) as Record<string, unknown>;
    const claims = JSON.parse(new TextDecoder().decode(bytesOf(body))) as Record<string, unknown>;
    const { iss, sub, aud, exp, nbf, jti } = claims;
    if (typeof iss !== 'string' || typeof sub !== 'string' || typeof exp !== 'number' || typeof jti !== 'string')
      return undefined;
    return {
      issuer: iss,
      subject: sub,
      audiences: (Array.isArray(aud) ? aud : [aud]).filter((one): one is string => typeof one === 'string'),
      expiresAtS: exp,
      notBeforeS: typeof nbf === 'number' ? nbf : 0,
      jti,
      algorithm: String(header['alg']),
      keyId: typeof header['kid'] === 'string' ? header['kid'] : undefined,
      signed: `${head}.${body}`,
      signature: bytesOf(signature),
    };
  } catch {
    return undefined;
  }
}

/** Why an assertion's claims do not prove its client to us now, or `undefined`. Pure; the signature is another matter. */
export function judgeAssertion(
  parsed: ParsedAssertion,
  record: ClientRecord,
  expected: { audiences: readonly string[]; nowMs: number },
): string | undefined {
  const nowS = expected.nowMs / 1000;
  if (parsed.issuer !== record.clientId || parsed.subject !== record.clientId) return 'another client';
  if (!parsed.audiences.some((audience) => expected.audiences.includes(audience))) return 'another audience';
  if (parsed.expiresAtS < nowS - ASSERTION_LEEWAY_S) return 'expired';
  if (parsed.expiresAtS > nowS + ASSERTION_LIFETIME_S + ASSERTION_LEEWAY_S) return 'lives too long';
  if (parsed.notBeforeS > nowS + ASSERTION_LEEWAY_S) return 'not valid yet';
  if (parsed.jti === '' || parsed.jti.length > 256) return 'no usable jti';
  if (!record.assertion?.algorithms.includes(parsed.algorithm)) return 'another algorithm';
  return undefined;
}

/** Whether one of the client's keys made the signature. With a `kid` only that key counts. */
export async function signedByClient(parsed: ParsedAssertion, keySet: unknown): Promise<boolean> {
  const keys = (keySet as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return false;
  const candidates = (keys as (JsonWebKey & { kid?: string })[])
    .filter((key) => fits(key, parsed))
    .slice(0, KEYS_TRIED_MAX);
  for (const key of candidates) if (await verifies(key, parsed)) return true;
  return false;
}

function fits(key: JsonWebKey & { kid?: string }, parsed: ParsedAssertion): boolean {
  if (typeof key !== 'object' || key === null) return false;
  const family = parsed.algorithm === 'RS256' ? 'RSA' : 'EC';
  if (key.kty !== family || (key.use !== undefined && key.use !== 'sig')) return false;
  return parsed.keyId === undefined || key.kid === parsed.keyId;
}

async function verifies(jwk: JsonWebKey, parsed: ParsedAssertion): Promise<boolean> {
  const algorithm =
    parsed.algorithm === 'RS256'
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  try {
    const { kty, n, e, crv, x, y } = jwk;
    const bare = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
    const key = await crypto.subtle.importKey('jwk', bare as JsonWebKey, algorithm, false, ['verify']);
    if (kty === 'RSA' && bytesOf(n ?? '').length * 8 < RSA_BITS_MIN) return false;
    return await crypto.subtle.verify(algorithm, key, parsed.signature, new TextEncoder().encode(parsed.signed));
  } catch {
    return false;
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );
}
