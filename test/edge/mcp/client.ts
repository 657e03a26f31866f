/** An MCP host over plain HTTP: one request at a time, every header in the test's hand. */
import { ask } from '../auth/harness.ts';

export interface RpcAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON-RPC message, whichever way it was framed. */
  message: {
    jsonrpc: string;
    id: unknown;
    result?: Record<string, unknown>;
    error?: { code: number; message: string; data?: unknown };
  };
}

export interface RpcOptions {
  token?: string | undefined;
  headers?: Record<string, string>;
  id?: string | number;
  signal?: AbortSignal;
}

export async function post(body: unknown, { token, headers = {}, signal }: RpcOptions = {}): Promise<RpcAnswer> {
  const response = await ask('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const json = type.startsWith('text/event-stream')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n')
    : text;
  return {
    status: response.status,
    headers: response.headers,
    text,
    message: json === '' ? ({} as RpcAnswer['message']) : JSON.parse(json),
  };
}

export function rpc(method: string, params: unknown, options: RpcOptions = {}): Promise<RpcAnswer> {
  return post({ jsonrpc: '2.0', id: options.id ?? 1, method, ...(params === undefined ? {} : { params }) }, options);
}

export function call(
  name: string,
  args: Record<string, unknown> | undefined,
  options: RpcOptions & { meta?: Record<string, unknown> } = {},
): Promise<RpcAnswer> {
  return rpc('tools/call', { name, arguments: args, ...(options.meta ? { _meta: options.meta } : {}) }, options);
}

/** A 2026-era request: the envelope in `_meta`, the headers that belong to it. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'host-x', version: '3' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

export function modern(
  method: string,
  params: Record<string, unknown> = {},
  options: RpcOptions = {},
): Promise<RpcAnswer> {
  const { _meta, ...rest } = params;
  const name = typeof rest.name === 'string' ? rest.name : undefined;
  return rpc(
    method,
    { ...rest, _meta: { ...ENVELOPE, ...(_meta as object | undefined) } },
    { ...options, headers: { ...modernHeaders(method, name), ...options.headers } },
  );
}

/** The JSON in the first text block, which is all that a caller may rely on. */
export function bodyOf(answer: RpcAnswer): Record<string, unknown> {
  const [first] = (answer.message.result?.content ?? []) as Array<{ text: string }>;
  if (!first) throw new Error(`no text block: ${answer.status} ${answer.text}`);
  return JSON.parse(first.text) as Record<string, unknown>;
}
