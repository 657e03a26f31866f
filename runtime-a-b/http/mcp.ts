/** The loopback MCP endpoint: a second door to the same tools, for people and agents on the workstation itself. */
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { BODY_BYTES_MAX } from '../../contract/limits.ts';
import { readBody, readJson } from './body.ts';
import { answerToolCall, asToolCall, type LocalCaller } from './mcp-call.ts';
import type { HttpParts } from './parts.ts';

/** JSON-RPC codes: nothing could be parsed; the message is none. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** Answers one request at `/mcp`; `caller` says who stands at this door. Never throws for what a caller sent. */
export function mcpEndpoint(parts: HttpParts, caller: LocalCaller): (request: Request) => Promise<Response> {
  let rest: Promise<McpHttpHandler> | undefined;
  const sdk = async () => {
    rest ??= import('./mcp-rest.ts')
      .then(({ createMcpRest }) => createMcpRest())
      .catch((error: unknown) => {
        rest = undefined; // the next request tries it again
        throw error;
      });
    return rest;
  };
  return async (request) => {
    if (request.method !== 'POST') return (await sdk()).fetch(request);
    const bytes = await readBody(request, BODY_BYTES_MAX);
    if (!bytes) return rpcError(413, INVALID_REQUEST, `A body is at most ${BODY_BYTES_MAX} bytes.`);
    const message = readJson(bytes);
    if (message === undefined) return rpcError(400, PARSE_ERROR, 'The body is no JSON.');
    if (Array.isArray(message)) return rpcError(400, INVALID_REQUEST, 'Batches are not served; send one message.');
    const call = asToolCall(message);
    if (call) return answerToolCall(call, parts, caller);
    return (await sdk()).fetch(bodiless(request), { parsedBody: message });
  };
}

/** The body has been read; the SDK gets it parsed and only looks at the headers. */
function bodiless(request: Request): Request {
  return new Request(request.url, { method: request.method, headers: request.headers });
}

export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
