/**
 * `tools/call` at the loopback door, in its own lane: the result's bytes are already the MCP result, so they are spliced
 * into the JSON-RPC answer instead of being parsed and written again. Every other method goes to the SDK.
 */
import { type CallEnvelope, classify } from '../../contract/call.ts';
import { CURRENT_RUNTIME } from '../../contract/epochs/index.ts';
import { dispatchId } from '../../contract/ids.ts';
import { isObject } from '../../contract/json.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { VERSION } from '../../local/version/index.ts';
import type { HttpParts } from './parts.ts';
import { Randomness } from './randomness.ts';

const randomness = new Randomness();

const MODERN_PROTOCOL = '2026-07-28';
const PROTOCOL_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';

/** What a modern result carries after ours; `,` because it continues an object. */
const MODERN_TAIL = `,"resultType":"complete","_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': { name: 'herdr-mcp', version: VERSION } })}}`;

export interface ToolCall {
  id: string | number;
  name: string;
  args: Record<string, unknown>;
  /** The body carries the 2026 envelope, whatever a header says. */
  modern: boolean;
  client: string;
}

/** A `tools/call` that this lane takes; undefined leaves the message to the SDK, which words the protocol's errors. */
export function asToolCall(message: unknown): ToolCall | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call') return undefined;
  const { id, params } = message;
  if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params) || typeof params.name !== 'string')
    return undefined;
  const args = params.arguments ?? {};
  if (!isObject(args)) return undefined;
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta[PROTOCOL_KEY];
  const modern = version === MODERN_PROTOCOL;
  if (version !== undefined && !modern && isEraKey(version)) return undefined;
  const info = meta[CLIENT_KEY];
  const client = isObject(info) && typeof info.name === 'string' ? info.name.slice(0, 100) : 'loopback client';
  return { id, name: params.name, args, modern, client };
}

/** A date that no era of ours has: the SDK says which ones it speaks. Anything else under that key is opaque. */
const isEraKey = (version: unknown): boolean =>
  typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version) && version > '2025-12-31';

/**
 * Who calls from this machine: somebody with the bearer at the loopback port, the extension over its socket, or the command
 * line over that same socket, on a path that the native host does not forward.
 */
export type LocalCaller = 'loopback' | 'extension' | 'cli';

/** Runs the call and answers it. The person or agent at the workstation is the principal. */
export async function answerToolCall(call: ToolCall, parts: HttpParts, caller: LocalCaller): Promise<Response> {
  return new Response(await callLocally(call, parts, caller), { headers: { 'content-type': 'application/json' } });
}

/** The same, as the text of the JSON-RPC answer. */
export async function callLocally(call: ToolCall, parts: HttpParts, caller: LocalCaller): Promise<string> {
  const callClass = classify(call.name, call.args);
  const envelope: CallEnvelope = {
    dispatch_id: dispatchId(parts.nowMs(), randomness.take(10)),
    tool: call.name.slice(0, 64),
    class: callClass,
    device_id: parts.deviceId,
    principal: { kind: 'local', id: caller, label: call.client },
    contract_epoch: CURRENT_RUNTIME.epoch,
    deadline_ms: CALL_MS_MAX,
  };
  const { body } = await parts.dispatcher.submit(
    envelope,
    call.args,
    callClass,
    caller === 'cli' ? 'socket' : 'loopback',
  );
  return splice(call, body);
}

/** A string, because Node then writes head and body at once; as bytes they would be two writes. */
function splice(call: ToolCall, body: Uint8Array): string {
  const result = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const own = call.modern ? result.slice(0, -1) + MODERN_TAIL : result;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${own}}`;
}
