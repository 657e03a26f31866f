/**
 * One HTTP exchange with a runtime generation on this machine, told apart by what is known about delivery: a refused
 * connection proves that not one byte arrived, anything that breaks later proves nothing.
 */
import { type Agent, request as httpRequest } from 'node:http';
import { patience } from '../../local/patience/index.ts';

export type Exchanged =
  | { kind: 'answer'; status: number; bytes: Buffer }
  /** The answer is longer than allowed; `head` is its beginning. */
  | { kind: 'too_large'; status: number; head: Buffer; size: number }
  /** Certain: no connection was made. */
  | { kind: 'not_sent'; message: string }
  /** The connection broke, or no answer came in time, after bytes may have arrived. */
  | { kind: 'lost'; message: string };

export interface Exchange {
  method: 'GET' | 'POST';
  /** `http://127.0.0.1:8772` */
  endpoint: string;
  path: string;
  token: string;
  body?: readonly Uint8Array[];
  contentType?: string;
  /** ms until the exchange is given up as lost. */
  timeoutMs: number;
  /** Longest answer in bytes. */
  maxBytes: number;
  /** Asked whenever the size is known better, in bytes; false when there is no room for that much. */
  reserve?: (bytes: number) => boolean;
}

/** Never rejects: every way to fail is a value. */
export function exchange(agent: Agent, wish: Exchange): Promise<Exchanged> {
  return new Promise((resolve) => {
    const url = new URL(wish.endpoint);
    const body = wish.body === undefined ? undefined : Buffer.concat(wish.body);
    const request = httpRequest({
      agent,
      host: url.hostname,
      port: url.port,
      method: wish.method,
      path: wish.path,
      headers: {
        authorization: `Bearer ${wish.token}`,
        ...(body === undefined
          ? {}
          : { 'content-type': wish.contentType ?? 'application/json', 'content-length': body.length }),
      },
    });
    let connected = false;
    let settled = false;
    const waiting = patience(wish.timeoutMs, () => fail('no answer in time'));
    const settle = (exchanged: Exchanged): void => {
      if (settled) return;
      settled = true;
      waiting.end();
      resolve(exchanged);
    };
    const fail = (message: string): void => {
      settle(connected ? { kind: 'lost', message } : { kind: 'not_sent', message });
      request.destroy();
    };
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (connected = true));
      else connected = true;
    });
    request.on('error', (error) => fail(error.message));
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      const pieces: Buffer[] = [];
      let size = Number(response.headers['content-length'] ?? 0);
      let received = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        received += piece.length;
        size = Math.max(size, received);
        if (size <= wish.maxBytes && (wish.reserve?.(size) ?? true)) return;
        settle({ kind: 'too_large', status, head: Buffer.concat(pieces), size });
        request.destroy();
      });
      response.once('end', () => {
        if (!response.complete) fail('the answer was cut');
        else settle({ kind: 'answer', status, bytes: join(pieces, received) });
      });
      response.once('error', (error) => fail(error.message));
      response.once('close', () => fail('the answer was cut'));
    });
    request.end(body);
  });
}

/** Most answers come in one piece, which then needs no copy. */
function join(pieces: readonly Buffer[], size: number): Buffer {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces, size);
}
