/**
 * Everything that has no lane of ours goes to the SDK: its modern handler for 2026-era bodies, which also owns every
 * refusal of that era, and one stateless server a request for the rest. Its tools are ours: what it may have to answer
 * (a call with unusual but valid headers) runs through the same `callTool`.
 */
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { log } from '../log.ts';
import type { RpcHeaders } from './era.ts';
import { metaOf } from './lane.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO, type Served, toolsListResult } from './served.ts';
import type { ToolAnswer } from './tool-call.ts';

export interface SdkRequest {
  request: Request;
  /** Already parsed, so that a body is read once. */
  body: unknown;
  served: Served;
  callTool: (tool: string, args: Record<string, unknown>, meta: unknown) => Promise<ToolAnswer>;
}

class RevokedMeanwhile extends Error {}

function serverFor(from: SdkRequest, modern: boolean): Server {
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });
  server.setRequestHandler('tools/list', () => JSON.parse(toolsListResult(from.served, false)));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const answer = await from.callTool(params.name, params.arguments ?? {}, params._meta);
    if (answer.revoked) throw new RevokedMeanwhile('revoked');
    return { ...JSON.parse(new TextDecoder().decode(answer.result)), _meta: metaOf(answer, modern) };
  });
  server.setRequestHandler('prompts/list', () => listPrompts(modern));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name));
  server.onerror = reported;
  return server;
}

/** Only the kind of a fault is logged: its text may quote what a caller sent. */
function reported(error: Error): void {
  log('mcp_refused', { error: error.name });
}

/** A 2026-era request, with the headers that its body deserves. */
export function serveModern(from: SdkRequest, shown: RpcHeaders): Promise<Response> {
  const handler = createMcpHandler(() => serverFor(from, true), { legacy: 'reject', onerror: reported });
  const headers = new Headers(from.request.headers);
  show(headers, 'mcp-protocol-version', shown.version);
  show(headers, 'mcp-method', shown.method);
  show(headers, 'mcp-name', shown.name);
  headers.set('accept', 'application/json, text/event-stream');
  return handler.fetch(bodiless(from.request, headers), { parsedBody: from.body });
}

function show(headers: Headers, name: string, value: string | null): void {
  if (value === null) headers.delete(name);
  else headers.set(name, value);
}

/** A 2025-era message. Version header, session id and the finer points of `Accept` are not the SDK's business here. */
export async function serveLegacy(from: SdkRequest): Promise<Response> {
  const server = serverFor(from, false);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const headers = new Headers(from.request.headers);
    headers.set('accept', 'application/json, text/event-stream');
    headers.delete('mcp-protocol-version');
    headers.delete('mcp-session-id');
    return await transport.handleRequest(bodiless(from.request, headers), { parsedBody: from.body });
  } finally {
    await server.close();
  }
}

/** The request's address and headers; its body has been read. */
function bodiless(request: Request, headers: Headers): Request {
  return new Request(request.url, { method: 'POST', headers, signal: request.signal });
}
