/**
 * How an answer leaves: one JSON body or one SSE event, open to every origin (a bearer is required and no cookie is
 * read, so no other site can ride on anything).
 */
import { CORS as FLEET_CORS } from '../http/index.ts';

export const CORS: Readonly<Record<string, string>> = {
  ...FLEET_CORS,
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Traceparent, Tracestate',
};

/** Of all these only two matter outside a preflight, and every header costs on every call. */
const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id',
} as const;

const JSON_HEADERS = { ...OPEN, 'content-type': 'application/json', 'cache-control': 'no-store' };
const SSE_HEADERS = {
  ...OPEN,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export type Framing = 'json' | 'sse';

/** JSON unless the caller takes an event stream only (`Accept` may weigh nothing else). */
export function framingOf(accept: string | null): Framing {
  if (accept === null || !accept.includes('text/event-stream')) return 'json';
  return accept.includes('application/json') || accept.includes('*/*') || accept.includes('application/*')
    ? 'json'
    : 'sse';
}

/** A JSON-RPC message, given as the pieces of its bytes in order. */
export function rpcResponse(pieces: readonly Uint8Array[], framing: Framing, status = 200): Response {
  if (framing === 'json') return new Response(join(pieces), { status, headers: JSON_HEADERS });
  return new Response(sseEvent(join(pieces)), { status, headers: SSE_HEADERS });
}

const encoder = new TextEncoder();
const EVENT_HEAD = encoder.encode('event: message\ndata: ');
const EVENT_TAIL = encoder.encode('\n\n');
const LF = 0x0a;
const CR = 0x0d;

/** One event. A message with line breaks between its tokens goes out as several `data:` lines, which mean the same. */
function sseEvent(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const line = message.includes(LF) || message.includes(CR) ? encoder.encode(inDataLines(message)) : message;
  return join([EVENT_HEAD, line, EVENT_TAIL]);
}

function inDataLines(message: Uint8Array): string {
  return new TextDecoder()
    .decode(message)
    .split(/\r\n|\r|\n/)
    .join('\ndata: ');
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

/** A JSON-RPC error. Protocol mistakes only: what a tool has to say is a result. */
export function rpcError(
  id: string | number | null,
  code: number,
  message: string,
  options: { status?: number; data?: unknown; framing?: Framing } = {},
): Response {
  const error = { code, message, ...(options.data === undefined ? {} : { data: options.data }) };
  const body = encoder.encode(JSON.stringify({ jsonrpc: '2.0', id, error }));
  return rpcResponse([body], options.framing ?? 'json', options.status ?? 200);
}

/** The same response with our CORS headers, whoever made it. */
export function withCors(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(OPEN)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
