/**
 * What a client id that is an address, and the document behind it, must look like (draft-ietf-oauth-client-id-metadata-
 * document, and the MCP specification of 2026-07-28). Pure.
 */
import type { ClientInfo } from '@cloudflare/workers-oauth-provider';
import { DOCUMENT_FRESH_MS_MAX, DOCUMENT_FRESH_MS_MIN, REDIRECT_URIS_MAX } from '../../http/index.ts';

/** Whether a client id claims to be an address of its own document. */
export function isDocumentId(clientId: string): boolean {
  return /^https?:\/\//i.test(clientId);
}

/** Why an address is not fetched, or `undefined` when it may be. Judged by its text: nothing is resolved or asked. */
export function refuseAddress(address: string): string | undefined {
  if (address !== address.trim() || /[\s\\\p{Cc}]/u.test(address)) return 'has spaces or control characters';
  const url = URL.parse(address);
  if (url?.protocol !== 'https:') return 'is no https address';
  if (url.username || url.password) return 'carries credentials';
  if (url.hash || address.includes('#')) return 'has a fragment';
  if (url.port !== '') return 'names a port';
  if (url.pathname === '/' && !/^https:\/\/[^/]+\/./i.test(address)) return 'has no path';
  if (/\/(\.|%2e){1,2}(\/|\?|$)/i.test(address)) return 'has dot segments';
  return refuseHost(url.hostname);
}

/** Hosts that only this network or this machine can mean, and literal addresses of any kind. */
function refuseHost(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name.startsWith('[') || /^\d+(\.\d+)*$/.test(name)) return 'is a literal network address';
  if (!name.includes('.')) return 'is a host of a local network';
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (PRIVATE_SUFFIXES.has(last) || name.endsWith('.home.arpa')) return 'is a host of a local network';
  return undefined;
}

/** Reserved or customary names that never mean a public host (RFC 2606, RFC 6761, RFC 8375). */
const PRIVATE_SUFFIXES = new Set([
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'localdomain',
  'test',
  'invalid',
  'example',
  'onion',
]);

/** How a document lets its client prove itself, beside the record that the library reads. */
export interface ClientRecord extends ClientInfo {
  /** Present when the document offers `private_key_jwt`. */
  assertion?: { required: boolean; jwksUri?: string; jwks?: unknown; algorithms: string[] };
}

/** The record of a document, or why it is refused. */
export function readDocument(
  address: string,
  value: unknown,
): { ok: true; record: ClientRecord } | { ok: false; why: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return no('is no JSON object');
  const document = value as Record<string, unknown>;
  if (document['client_id'] !== address) return no('names another client_id than its own address');
  if ('client_secret' in document || 'client_secret_expires_at' in document) return no('holds a client secret');
  const name = document['client_name'];
  if (typeof name !== 'string' || name.trim() === '') return no('has no client_name');
  const redirectUris = document['redirect_uris'];
  if (!isTextList(redirectUris) || redirectUris.length === 0) return no('lists no redirect_uris');
  if (redirectUris.length > 4 * REDIRECT_URIS_MAX) return no('lists too many redirect_uris');
  if (redirectUris.some((uri) => refuseRedirect(uri))) return no('lists a redirect address that is never allowed');
  const methods = authMethods(document);
  const assertion = assertionOf(document, methods);
  if (!methods.includes('none') && assertion === undefined)
    return no('offers no way to authenticate that is served here');
  return {
    ok: true,
    record: {
      clientId: address,
      clientName: name,
      redirectUris,
      grantTypes: ['authorization_code', 'refresh_token'],
      responseTypes: ['code'],
      tokenEndpointAuthMethod: 'none',
      ...(assertion ? { assertion } : {}),
    },
  };
}

const no = (why: string): { ok: false; why: string } => ({ ok: false, why });

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** The same rule as for registrations: no fragment, no credentials, no scheme that runs code, no remote http. */
function refuseRedirect(uri: string): boolean {
  const url = URL.parse(uri);
  if (!url || uri.includes('#') || url.username !== '' || url.password !== '' || /\p{Cc}/u.test(uri)) return true;
  return ['javascript:', 'data:', 'vbscript:', 'file:', 'mailto:', 'blob:'].includes(url.protocol);
}

function authMethods(document: Record<string, unknown>): string[] {
  const single = document['token_endpoint_auth_method'];
  const several = document['token_endpoint_auth_methods_supported'];
  const named = [...(typeof single === 'string' ? [single] : []), ...(isTextList(several) ? several : [])];
  return named.length === 0 ? ['none'] : named;
}

const ALGORITHMS = ['RS256', 'ES256'];

function assertionOf(document: Record<string, unknown>, methods: string[]): ClientRecord['assertion'] {
  if (!methods.includes('private_key_jwt')) return undefined;
  const { jwks, jwks_uri: jwksUri, token_endpoint_auth_signing_alg: alg } = document;
  const algorithms = typeof alg === 'string' ? ALGORITHMS.filter((known) => known === alg) : ALGORITHMS;
  if (algorithms.length === 0) return undefined;
  const required = !methods.includes('none');
  if (typeof jwksUri === 'string' && jwks === undefined) {
    return refuseAddress(jwksUri) === undefined ? { required, jwksUri, algorithms } : undefined;
  }
  const keys = (jwks as { keys?: unknown } | undefined)?.keys;
  const isPrivate = (key: unknown) => typeof key !== 'object' || key === null || 'd' in key || 'k' in key;
  return Array.isArray(keys) && keys.length > 0 && !keys.some(isPrivate) ? { required, jwks, algorithms } : undefined;
}

/** How long a document counts as fresh, in ms, from its `Cache-Control`; inside our own bounds. */
export function freshForMs(cacheControl: string | null): number {
  const seconds = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,9})/i.exec(cacheControl ?? '')?.[1];
  const wished = /\b(no-store|no-cache)\b/i.test(cacheControl ?? '') ? 0 : Number(seconds ?? 0) * 1000;
  return Math.min(DOCUMENT_FRESH_MS_MAX, Math.max(DOCUMENT_FRESH_MS_MIN, wished));
}
