/** Who is asking, down to the conversation, and the trace that the call belongs to. */
import type { Principal } from '../../contract/call.ts';
import { canonicalJson, sha256 } from '../../contract/canonical.ts';
import type { EdgePrincipal } from '../auth/index.ts';
import { SESSION_MARK_CHARS_MAX } from '../limits.ts';

/** As it travels with a call. */
export function principalOf({ kind, id, label, readOnly }: EdgePrincipal): Principal {
  return { kind, id, label: label.slice(0, 256), ...(readOnly ? { read_only: true } : {}) };
}

/**
 * The host's conversation mark, hashed together with the connector's id, so that two connectors' conversations never
 * meet and the mark itself is neither stored nor logged. Only `_meta` can set it; arguments cannot.
 */
export async function callerSession(principalId: string, meta: unknown): Promise<string | undefined> {
  const mark =
    typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>)['openai/session'] : undefined;
  if (typeof mark !== 'string' || mark === '' || mark.length > SESSION_MARK_CHARS_MAX) return undefined;
  return sha256(canonicalJson(['herdr-mcp/session', principalId, mark]));
}

/** The key's digest: the same formula as the runtime's, so that both ledgers can be asked about one key. */
export function keyDigest(principal: Pick<Principal, 'kind' | 'id'>, key: string): Promise<string> {
  return sha256(canonicalJson(['herdr-mcp/key', principal.kind, principal.id, key]));
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** W3C trace context, from `_meta` (2026 era) or from the header; anything else is none. */
export function traceparentOf(meta: unknown, header: string | null): string | undefined {
  const inMeta = typeof meta === 'object' && meta !== null ? (meta as Record<string, unknown>).traceparent : undefined;
  const value = typeof inMeta === 'string' ? inMeta : header;
  return value !== null && TRACEPARENT.test(value) ? value : undefined;
}
