/**
 * The stream of calls that the link opens (contract/link/stream.ts), at the runtime's end. Each call goes the way of
 * `POST /call`; answers leave in the order in which calls finish, large ones in pieces between the others.
 *
 * Decided here: a closed connection cancels nothing, as with the route; a peer that does not keep to the layout is cut; a
 * runtime that stops answers what it has and then ends the connection.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CALLS_UPGRADE, type PieceHead, PieceReader, ROUTE } from '../../contract/link/index.ts';
import { PieceOutbox } from '../../local/outbox/pieces.ts';
import { ARRIVING_BYTES_MAX, CALLS_PER_STREAM_MAX } from '../limits.ts';
import type { Admits } from './direct.ts';
import { PACKED_CALL_BYTES_MAX, runPacked } from './packed-call.ts';
import type { HttpParts } from './parts.ts';
import { serveAnyway } from './serve-anyway.ts';

/** The streams of one port. */
export interface CallStreams {
  /** Whether a request asks for a stream. Every other offer to change the protocol is passed over, and the request served. */
  asksFor(request: IncomingMessage): boolean;
  /** For the server's `upgrade` event. */
  upgrade(request: IncomingMessage, socket: Duplex, early: Buffer): void;
  /** Ends each as soon as its calls are answered. */
  close(): void;
  /** Ends what is left. */
  cut(): void;
}

export function callStreams(parts: HttpParts, admits: Admits): CallStreams {
  const open = new Set<CallStream>();
  return {
    asksFor,
    upgrade(request, duplex, early) {
      const socket = duplex as Socket; // what Node's own server hands out
      socket.on('error', () => socket.destroy()); // a peer that is gone; `close` follows
      if (!asksFor(request)) {
        serveAnyway(request, socket, early);
        return;
      }
      if (!admits(request.headers)) {
        socket.end(REFUSAL, () => socket.destroy()); // whoever was refused would keep it open as long as he likes
        return;
      }
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${CALLS_UPGRADE}\r\n\r\n`,
        'latin1',
      );
      const stream = new CallStream(socket, parts);
      open.add(stream);
      socket.once('close', () => open.delete(stream));
      stream.take(early);
    },
    close() {
      for (const stream of open) stream.close();
    },
    cut() {
      for (const stream of open) stream.cut();
    },
  };
}

const asksFor = ({ headers, method, url }: IncomingMessage): boolean =>
  method === 'GET' && url === ROUTE.calls && headers.upgrade?.toLowerCase() === CALLS_UPGRADE;

const UNAUTHORIZED = JSON.stringify({
  ok: false,
  code: 'unauthorized',
  message: 'The bearer of this state folder is needed.',
});
/** The whole HTTP answer to somebody who may not. */
const REFUSAL = `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${UNAUTHORIZED.length}\r\nconnection: close\r\n\r\n${UNAUTHORIZED}`;

/** A call whose bytes have not all come. */
interface Arriving {
  bytes: Buffer;
  filled: number;
}

class CallStream {
  readonly #socket: Socket;
  readonly #parts: HttpParts;
  readonly #reader: PieceReader;
  readonly #outbox: PieceOutbox;
  readonly #arriving = new Map<number, Arriving>();
  /** Their bytes, as announced. */
  #arrivingBytes = 0;
  #current = 0;
  /** Calls that run. */
  #running = 0;
  #closing = false;

  constructor(socket: Socket, parts: HttpParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.setNoDelay(true);
    socket.setTimeout(0);
    this.#reader = new PieceReader({
      head: (head) => this.#head(head),
      bytes: (view) => this.#bytes(view),
    });
    this.#outbox = new PieceOutbox(socket, () => this.#endWhenDone());
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.once('end', () => socket.destroySoon()); // the link wants no answer any more; what runs goes on
    socket.once('close', () => this.#outbox.close());
  }

  take(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#reader.push(bytes)) this.#socket.destroy();
  }

  close(): void {
    this.#closing = true;
    this.#endWhenDone();
  }

  cut(): void {
    this.#socket.destroy();
  }

  #head({ number, status, total, size }: PieceHead): boolean {
    if (status !== 0 || total === 0 || total > PACKED_CALL_BYTES_MAX) return false;
    const arriving = this.#arriving.get(number);
    if (arriving === undefined && this.#arriving.size + this.#running >= CALLS_PER_STREAM_MAX) return false;
    this.#current = number;
    if (arriving !== undefined) return arriving.bytes.length === total && arriving.filled + size <= total;
    if (this.#arrivingBytes + total > ARRIVING_BYTES_MAX) return false;
    this.#arrivingBytes += total;
    this.#arriving.set(number, { bytes: Buffer.allocUnsafe(total), filled: 0 });
    return true;
  }

  #bytes(view: Uint8Array): void {
    const arriving = this.#arriving.get(this.#current) as Arriving;
    arriving.bytes.set(view, arriving.filled);
    arriving.filled += view.length;
    if (arriving.filled < arriving.bytes.length) return;
    this.#arriving.delete(this.#current);
    this.#arrivingBytes -= arriving.bytes.length;
    this.#run(this.#current, arriving.bytes);
  }

  #run(number: number, bytes: Buffer): void {
    const running = runPacked(bytes, this.#parts);
    if (running === undefined) {
      this.#outbox.message(number, 400, [BROKEN_CALL]);
      return;
    }
    this.#running += 1;
    running.then(
      ({ head, body }) => this.#finish(number, [head, body]),
      (error: unknown) => {
        this.#parts.log.error({ err: error }, 'a call failed in an unforeseen way');
        this.#socket.destroy();
      },
    );
  }

  #finish(number: number, answer: readonly Uint8Array[]): void {
    this.#running -= 1;
    this.#outbox.message(number, 200, answer);
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (!this.#closing || this.#running > 0 || this.#arriving.size > 0 || !this.#outbox.empty) return;
    this.#socket.destroySoon();
  }
}

const BROKEN_CALL = Buffer.from(
  JSON.stringify({ ok: false, code: 'invalid_params', message: 'The packed call is broken.' }),
);
