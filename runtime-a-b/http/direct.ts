/**
 * `tools/call` at the MCP door, straight on Node's own request and response. The web's `Request`, `Response` and their
 * body streams cost more on a call than reading a small file does (bench/README.md, P2).
 *
 * Taken here is only what will be answered as a call: the caller may speak to this port, the body's length is announced
 * and within its bound. Whatever else comes, and every refusal, goes the usual way with the body that was read.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { BODY_BYTES_MAX } from '../../contract/limits.ts';
import { readJson } from './body.ts';
import { asToolCall, callLocally, type ToolCall } from './mcp-call.ts';
import type { HttpParts } from './parts.ts';

/** Whether this request may speak to the port at all. */
export type Admits = (headers: IncomingMessage['headers']) => boolean;

/** A listener that takes calls itself and gives everything else to `otherwise`. */
export function directCalls(parts: HttpParts, admits: Admits, otherwise: RequestListener): RequestListener {
  const fail = (response: ServerResponse) => (error: unknown) => {
    parts.log.error({ err: error }, 'a call failed in an unforeseen way');
    response.destroy();
  };
  return (request, response) => {
    const limit = limitOf(request);
    const announced = Number(request.headers['content-length']);
    if (limit === undefined || !(announced <= limit) || !admits(request.headers)) {
      otherwise(request, response);
      return;
    }
    whole(request, announced, (body) => {
      const answered = answerTool(body, response);
      if (answered === undefined) otherwise(Object.assign(request, { rawBody: body }), response);
      else answered.catch(fail(response));
    });
  };

  function answerTool(body: Buffer, response: ServerResponse): Promise<void> | undefined {
    const call: ToolCall | undefined = asToolCall(readJson(body));
    if (call === undefined) return undefined;
    return callLocally(call, parts, 'loopback').then((text) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  }
}

function limitOf({ method, url }: IncomingMessage): number | undefined {
  return method === 'POST' && url === '/mcp' ? BODY_BYTES_MAX : undefined;
}

/** Calls `done` with the whole body; a request that is cut before leaves nothing behind. */
function whole(request: IncomingMessage, announced: number, done: (body: Buffer) => void): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.once('end', () => {
    const [only] = pieces;
    done(only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces, announced));
  });
}
