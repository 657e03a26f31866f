/**
 * Cursors that nobody can make or alter: JSON, sealed by an HMAC under a random key of this database. The kind is part
 * of what is sealed, so a cursor of one method is none for another. Pure apart from the digest.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { CURSOR_CHARS_MAX } from './limits.ts';

/** `wmc`: pages of `work_memory.search`; `hct`: older turns of a chain; `hcl`: pages of `continuity.list`. */
export type CursorKind = 'wmc' | 'hct' | 'hcl';

/** The layout of what is inside; a number that we do not know is a cursor of another version. */
const VERSION = 1;

export type Opened = { ok: true; inside: unknown } | { ok: false; reason: 'invalid' | 'version_unsupported' };

/** The cursor as text: letters, digits, `-`, `_` and dots. */
export function sealCursor(key: Uint8Array, kind: CursorKind, inside: unknown): string {
  const head = `${kind}${VERSION}.${Buffer.from(JSON.stringify(inside)).toString('base64url')}`;
  return `${head}.${seal(key, head)}`;
}

/** What is inside; never throws. `version_unsupported` only says what the text claims: it was not believed. */
export function openCursor(key: Uint8Array, kind: CursorKind, text: string): Opened {
  if (text.length > CURSOR_CHARS_MAX) return { ok: false, reason: 'invalid' };
  const match = /^([a-z]{3})(\d{1,4})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(text);
  if (match === null || match[1] !== kind) return { ok: false, reason: 'invalid' };
  if (match[2] !== String(VERSION)) return { ok: false, reason: 'version_unsupported' };
  const given = Buffer.from(match[4] ?? '');
  const right = Buffer.from(seal(key, text.slice(0, text.lastIndexOf('.'))));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return { ok: false, reason: 'invalid' };
  try {
    return { ok: true, inside: JSON.parse(Buffer.from(match[3] ?? '', 'base64url').toString('utf8')) };
  } catch {
    return { ok: false, reason: 'invalid' };
  }
}

function seal(key: Uint8Array, head: string): string {
  return createHmac('sha256', key).update(`herdr-mcp/cursor\n${head}`).digest('base64url');
}
