/** What binds a call to its repetition: digests over its arguments and its key. Neither is ever stored in clear. */
import { createHash } from 'node:crypto';
import type { Principal } from '../../contract/call.ts';
import { canonicalJson } from '../../contract/canonical.ts';

/**
 * Over the canonical arguments without the key: two calls with equal digests ask for the same thing. How long a prompt's
 * caller waits afterwards is no part of what is asked.
 */
export function argumentsDigest(tool: string, args: Record<string, unknown>): string {
  const { idempotency_key: _, ...rest } = args;
  if (tool === 'herdr_prompt') delete rest.wait;
  return sha256(canonicalJson(rest));
}

/** A key belongs to whoever uses it, not to a conversation: the same words of two principals are two keys. */
export function keyDigest(principal: Pick<Principal, 'kind' | 'id'>, key: string): string {
  return sha256(canonicalJson(['herdr-mcp/key', principal.kind, principal.id, key]));
}

export function sha256(input: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(input).digest('hex')}`;
}
