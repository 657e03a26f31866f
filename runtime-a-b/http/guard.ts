/**
 * Who may speak to the loopback port. A web page can make a browser send requests here, also under a name of its own
 * (DNS rebinding), so Host and Origin are looked at although a bearer is needed anyway. Pure.
 */
import { timingSafeEqual } from 'node:crypto';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** A `Host` header that names this machine's loopback and our port. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false;
  const match = /^(\[[0-9a-f:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host);
  const [, name = '', given] = match ?? [];
  return LOOPBACK_NAMES.has(name.toLowerCase()) && Number(given ?? 80) === port;
}

/** No `Origin` at all (no browser), or a page that this machine itself serves. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  const match = /^https?:\/\/(\[[0-9a-f:]+\]|[^:/[\]]+)(?::\d{1,5})?$/i.exec(origin);
  return LOOPBACK_NAMES.has((match?.[1] ?? '').toLowerCase());
}

/** Compares in constant time; a different length is different anyway. */
export function isBearer(header: string | undefined, token: Uint8Array): boolean {
  const match = /^bearer ([\x21-\x7e]+)$/i.exec(header ?? '');
  if (!match?.[1]) return false;
  const given = Buffer.from(match[1]);
  return given.length === token.length && timingSafeEqual(given, token);
}
