/** What binds a call to its repetition: digests over its arguments and its key. Neither is ever stored in clear. */
import { createHash } from 'node:crypto';
import type { Principal } from '../../contract/call.ts';
import { canonicalJson } from '../../contract/canonical.ts';
import { flawOf } from '../well-formed.ts';

/**
 * Over the canonical arguments without the key: two calls with equal digests ask for the same thing. How long a prompt's
 * caller waits afterwards is no part of what is asked.
 */
export function argumentsDigest(tool: string, args: Record<string, unknown>): string {
  const { idempotency_key: _, ...rest } = args;
  if (tool === 'herdr_prompt') delete rest.wait;
  const inner = dispatchParams(tool, args);
  if (!inner) return sha256(canonicalJson(rest));
  const { idempotency_key: _inner, wait: _wait, ...params } = inner;
  return sha256(canonicalJson({ ...rest, params }));
}

/** The key of a call: beside the arguments, or inside the parameters of a method that takes one of its own. */
export function keyIn(tool: string, args: Record<string, unknown>): string | undefined {
  const key = args.idempotency_key ?? dispatchParams(tool, args)?.idempotency_key;
  return typeof key === 'string' ? key : undefined;
}

/** The parameters of a dispatched task, which is a prompt by another name; undefined for everything else. */
function dispatchParams(tool: string, args: Record<string, unknown>): Record<string, unknown> | undefined {
  if (tool !== 'herdr_call' || args.method !== 'herdr_mcp.agent.task.dispatch') return undefined;
  try {
    const params: unknown = JSON.parse(String(args.params));
    if (flawOf(params) !== undefined) return undefined; // the method refuses them
    return typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // the method itself says what is wrong with them
  }
}

/** A key belongs to whoever uses it, not to a conversation: the same words of two principals are two keys. */
export function keyDigest(principal: Pick<Principal, 'kind' | 'id'>, key: string): string {
  return sha256(canonicalJson(['herdr-mcp/key', principal.kind, principal.id, key]));
}

export function sha256(input: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(input).digest('hex')}`;
}
