/** One HTTP request to the edge, as JSON both ways. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { timeLimit } from '../../local/patience/index.ts';
import { BYTES_MS_MAX, REST_BYTES_MAX, REST_MS_MAX } from '../limits.ts';
import { connectionTo } from './connect.ts';
import type { Environment } from './proxy.ts';

export interface EdgeAnswer {
  status: number;
  /** The parsed JSON, or `undefined` when the body was none (a gateway's page). */
  body: unknown;
  /** The answering server's clock, ms since 1970, from its `Date` header. */
  dateMs?: number;
  /** The body itself and its headers, when {@link EdgeRequest.bytes} asked for them. */
  raw?: { bytes: Buffer; headers: IncomingHttpHeaders };
}

export interface EdgeRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: URL;
  bearer?: string;
  body?: unknown;
  environment: Environment;
  /** Bytes instead of JSON: what is sent, and how much is taken back. Such a request has two minutes. */
  bytes?: { type?: string; send?: Uint8Array; answerMax: number };
}

/**
 * Sends one request and reads its answer, at most 256 KiB, within 15 s. Follows no redirect, so that a bearer stays
 * where it was sent. Rejects with an `Error` of one sentence when no whole answer came.
 */
export function requestEdge(request: EdgeRequest): Promise<EdgeAnswer> {
  const { url, method, environment, bytes } = request;
  const payload = request.body === undefined ? bytes?.send : Buffer.from(JSON.stringify(request.body));
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new Error(`${method} ${url.origin}${url.pathname} got no answer: ${why}`));
    const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      url,
      {
        method,
        // With a connection of our own Node has no agent to take it from, and would write `Host: edge:80` for https.
        defaultPort: url.protocol === 'https:' ? 443 : 80,
        createConnection: connectionTo(url, environment) as RequestOptions['createConnection'],
        headers: {
          accept: 'application/json',
          ...(request.bearer === undefined ? {} : { authorization: `Bearer ${request.bearer}` }),
          ...(payload === undefined
            ? {}
            : { 'content-type': bytes?.type ?? 'application/json', 'content-length': payload.length }),
        },
        signal: timeLimit(bytes === undefined ? REST_MS_MAX : BYTES_MS_MAX),
      } as RequestOptions,
      (response) => {
        readBody(response, bytes?.answerMax ?? REST_BYTES_MAX).then(
          (read) =>
            resolve({
              status: response.statusCode ?? 0,
              body: jsonOf(read),
              ...clockOf(response),
              ...(bytes === undefined ? {} : { raw: { bytes: read, headers: response.headers } }),
            }),
          (error: Error) => fail(error.message),
        );
      },
    );
    sent.once('error', (error) =>
      fail(error.name === 'AbortError' || error.name === 'TimeoutError' ? 'it took too long' : error.message),
    );
    sent.end(payload);
  });
}

/** The JSON of a response, `undefined` when it is none. Rejects above the bound or when the connection breaks. */
export async function readJson(response: IncomingMessage): Promise<unknown> {
  return jsonOf(await readBody(response, REST_BYTES_MAX));
}

async function readBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > bytesMax) throw new Error(`its answer is larger than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // A gateway's HTML page or an empty body: the status says what there is to say.
    return undefined;
  }
}

/** The `Date` header of a response as ms since 1970. */
export function clockOf(response: IncomingMessage): { dateMs?: number } {
  const dateMs = Date.parse(response.headers.date ?? '');
  return Number.isNaN(dateMs) ? {} : { dateMs };
}
