/**
 * `/mcp`, request by request: who asks, which era, which lane.
 *
 * In this order: the bearer (nothing is answered without one), the body's size and shape, the era (from the body), then
 * the lane: `tools/call`; the three answers of the frozen contract; everything else to the SDK. Deliberately not done
 * here: sessions (an unknown session id is ignored), batches (refused), resumption, server-to-client requests.
 */
import { isJsonContentType } from '@modelcontextprotocol/server';
import { BODY_BYTES_MAX } from '../../contract/limits.ts';
import { authenticate, type EdgePrincipal, forgetToken, unauthorized } from '../auth/index.ts';
import type { Env } from '../env.ts';
import { originOf, parseOrigins, textUpTo } from '../http/index.ts';
import { RPC_ID_CHARS_MAX } from '../limits.ts';
import { log, logFault } from '../log.ts';
import { CORS, type Framing, framingOf, rpcError, rpcResponse, withCors } from './answer.ts';
import { BODY_TOO_LONG } from './arguments.ts';
import { callTool } from './call.ts';
import { eraOf, type RpcHeaders } from './era.ts';
import { frozenAnswer } from './frozen.ts';
import { serveToolCall } from './lane.ts';
import { serveLegacy, serveModern } from './sdk.ts';
import { type Served, servedBy } from './served.ts';
import { openStream } from './stream.ts';
import type { ToolCall } from './tool-call.ts';

const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const INTERNAL_ERROR = -32603;
/** What the SDK uses for refusals of HTTP itself. */
const HTTP_REFUSED = -32000;

interface Rpc {
  id?: unknown;
  method: string;
  params?: unknown;
}

export async function mcp(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  try {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: CORS });
    const auth = await authenticate(request, env);
    if (!auth.ok) return withCors(auth.response);
    if (request.method === 'POST') return await post({ request, env, ctx }, auth.principal);
    if (request.method === 'GET') return await get(request, env);
    return new Response(null, { status: 405, headers: { ...CORS, allow: 'GET, POST, OPTIONS' } });
  } catch (error) {
    logFault('mcp', error);
    return rpcError(null, INTERNAL_ERROR, 'Internal error', { status: 500 });
  }
}

async function get(request: Request, env: Env): Promise<Response> {
  const fresh = await authenticate(request, env, { fresh: true });
  return fresh.ok ? openStream(request.signal) : withCors(fresh.response);
}

/** One HTTP request and what it runs in. */
interface Incoming {
  request: Request;
  env: Env;
  ctx: ExecutionContext;
}

async function post(incoming: Incoming, principal: EdgePrincipal): Promise<Response> {
  const { request } = incoming;
  const framing = framingOf(request.headers.get('accept'));
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return rpcError(null, HTTP_REFUSED, 'Unsupported Media Type: Content-Type must be application/json', {
      status: 415,
    });
  }
  const text = await bodyText(request);
  if (text === undefined) return rpcError(null, HTTP_REFUSED, BODY_TOO_LONG, { status: 413 });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return rpcError(null, PARSE_ERROR, 'Parse error: the request body is not valid JSON', { status: 400 });
  }
  if (Array.isArray(body)) {
    return rpcError(
      null,
      INVALID_REQUEST,
      'Invalid request: JSON-RPC batches are not served; send one message a request',
      { status: 400 },
    );
  }
  if (!isMessage(body)) {
    return rpcError(idOf(body), INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message', { status: 400 });
  }
  return serve(incoming, principal, body, framing);
}

async function serve(incoming: Incoming, principal: EdgePrincipal, rpc: Rpc, framing: Framing): Promise<Response> {
  const { request, env } = incoming;
  const headers: RpcHeaders = {
    version: request.headers.get('mcp-protocol-version'),
    method: request.headers.get('mcp-method'),
    name: request.headers.get('mcp-name'),
  };
  const era = eraOf(rpc.method, rpc.params, headers);
  const served = servedBy(env);
  const id = idOf(rpc);
  if (id !== null && era.kind !== 'refer') {
    const modern = era.kind === 'modern';
    if (rpc.method === 'tools/call') {
      const call = toolCallIn(incoming, principal, served, rpc.params);
      if (call) return answerCall(incoming, id, call, modern, framing);
    }
    const frozen = frozenAnswer(served, rpc.method, rpc.params, modern);
    if (frozen !== undefined) return rpcResponse([encoder.encode(frozenMessage(id, frozen))], framing);
  }
  // From here on the edge answers itself, so the token is asked about and not remembered.
  const fresh = await authenticate(request, env, { fresh: true });
  if (!fresh.ok) return withCors(fresh.response);
  const from = {
    request,
    body: rpc,
    served,
    callTool: (tool: string, args: Record<string, unknown>, meta: unknown) =>
      callTool({ ...callContext(incoming, fresh.principal, served), tool, args, meta }),
  };
  if (era.kind === 'refer') return withCors(await serveModern(from, era.headers));
  if (era.kind === 'modern') return withCors(await serveModern(from, modernHeaders(headers, rpc)));
  return reframed(await serveLegacy(from), framing);
}

/** The body's text. One whose length is declared within the limit is read at once; any other is counted as it comes. */
function bodyText(request: Request): Promise<string | undefined> {
  const declared = request.headers.get('content-length');
  const small = declared !== null && /^[0-9]+$/.test(declared) && Number(declared) <= BODY_BYTES_MAX;
  return small ? request.text() : textUpTo(request, BODY_BYTES_MAX);
}

/** A 2026-era body under an older version header is shown to the SDK as what it is. */
function modernHeaders(headers: RpcHeaders, rpc: Rpc): RpcHeaders {
  const meta = (rpc.params as { _meta: Record<string, string> })._meta;
  return {
    version: meta['io.modelcontextprotocol/protocolVersion'] ?? null,
    method: headers.method ?? rpc.method,
    name: headers.name,
  };
}

async function answerCall(
  { request, env }: Incoming,
  id: string | number,
  call: ToolCall,
  modern: boolean,
  framing: Framing,
): Promise<Response> {
  const answer = await serveToolCall(id, call, modern);
  if (answer.kind === 'message') return rpcResponse(answer.pieces, framing);
  if (answer.kind === 'revoked') {
    forgetToken(call.principal.id);
    return withCors(unauthorized(originOf(parseOrigins(env.ORIGINS), request.url), true));
  }
  log('result_broken', { tool: call.tool });
  return rpcError(id, INTERNAL_ERROR, 'The workstation answered with something that is no tool result', { framing });
}

/** The call in these params, or nothing when they have not the shape of one; the SDK then says what is wrong. */
function toolCallIn(
  incoming: Incoming,
  principal: EdgePrincipal,
  served: Served,
  params: unknown,
): ToolCall | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const { name, arguments: given, _meta: meta } = params as { name?: unknown; arguments?: unknown; _meta?: unknown };
  const args = given ?? {};
  if (typeof name !== 'string' || typeof args !== 'object' || Array.isArray(args)) return undefined;
  return { ...callContext(incoming, principal, served), tool: name, args: args as Record<string, unknown>, meta };
}

function callContext({ request, env, ctx }: Incoming, principal: EdgePrincipal, served: Served) {
  const caller = () => ({ signal: request.signal, waitUntil: (work: Promise<unknown>) => ctx.waitUntil(work) });
  const stillApproved = async () => (await authenticate(request, env, { fresh: true })).ok;
  return { principal, served, env, traceHeader: request.headers.get('traceparent'), caller, stillApproved };
}

const encoder = new TextEncoder();

const frozenMessage = (id: string | number, result: string) =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** A request or a notification; responses have nobody here who waits for them. */
function isMessage(body: unknown): body is Rpc {
  if (typeof body !== 'object' || body === null) return false;
  const { jsonrpc, method, params } = body as { jsonrpc?: unknown; method?: unknown; params?: unknown };
  if (jsonrpc !== '2.0' || typeof method !== 'string') return false;
  if (params !== undefined && (typeof params !== 'object' || params === null)) return false;
  return !('id' in body) || idOf(body) !== null;
}

/** The id to answer under, or `null` for a notification and for an id that is none. */
function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null ? (body as { id?: unknown }).id : undefined;
  if (typeof id === 'number') return Number.isFinite(id) ? id : null;
  return typeof id === 'string' && id.length <= RPC_ID_CHARS_MAX ? id : null;
}

/** The SDK's JSON answer in the framing that the caller takes. */
async function reframed(response: Response, framing: Framing): Promise<Response> {
  if (framing === 'json' || response.status !== 200) return withCors(response);
  return rpcResponse([new Uint8Array(await response.arrayBuffer())], framing);
}
