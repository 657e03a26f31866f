/**
 * One kept connection to a runtime generation, for the route that every call takes. Node's HTTP client costs four times
 * as much for each exchange as the bytes themselves (bench/README.md, P1), and of HTTP this route needs little: one request at
 * a time, a body of known length, an answer of known length. An answer in chunks, which only refusals have, is read too.
 */
import { connect, type Socket } from 'node:net';
import { READ_BYTES } from '../limits.ts';
import type { Exchanged } from './exchange.ts';

export interface Post {
  /** Everything before the body, ready to be sent. */
  head: string;
  body: readonly Uint8Array[];
  timeoutMs: number;
  maxBytes: number;
  reserve?: (bytes: number) => boolean;
}

interface Waiting extends Post {
  done: (exchanged: Exchanged) => void;
  timer: NodeJS.Timeout;
}

/** What is known of an answer whose head has arrived. `size` is absent while it comes in chunks. */
interface Head {
  status: number;
  bodyAt: number;
  size: number | undefined;
  closes: boolean;
}

const HEAD_BYTES_MAX = 16 * 1024;

/**
 * Where the bytes of every connection arrive. They are copied to where they belong before the next read, so one place
 * serves all, and a large answer leaves no pieces for the collector: its result is received where it stays.
 */
const arriving = Buffer.allocUnsafeSlow(READ_BYTES);

export class KeptSocket {
  readonly #socket: Socket;
  readonly #free: (socket: KeptSocket) => void;
  #connected = false;
  /** What waits for the connection. */
  #unsent: Buffer | undefined;
  /** What has arrived of an answer whose body has no place yet: its head is not here, or its length is not known. */
  #early: Buffer | undefined;
  #head: Head | undefined;
  /** The body of an answer of known length, and how much of it is here. */
  #body: Buffer | undefined;
  #filled = 0;
  #waiting: Waiting | undefined;

  /**
   * `isOurs` says of the connection, once it is made and before a byte is sent, whether a generation of ours serves there.
   * `free` is called whenever it can take another exchange; `gone` once, when it never will again.
   */
  constructor(
    port: number,
    isOurs: () => boolean,
    free: (socket: KeptSocket) => void,
    gone: (socket: KeptSocket) => void,
  ) {
    this.#free = free;
    const onread = {
      buffer: arriving,
      callback: (length: number) => {
        this.#take(arriving.subarray(0, length));
        return true;
      },
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.once('connect', () => {
      if (!isOurs()) return this.#broke('another process has its port');
      this.#connected = true;
      if (this.#unsent) this.#socket.write(this.#unsent);
      this.#unsent = undefined;
    });
    this.#socket.on('error', (error) => this.#broke(error.message));
    this.#socket.once('close', () => {
      gone(this);
      this.#broke('the connection was closed');
    });
  }

  /** Sends and waits for the answer. Never rejects. Only one at a time. */
  exchange(post: Post): Promise<Exchanged> {
    return new Promise((done) => {
      const timer = setTimeout(() => this.#broke('no answer in time'), post.timeoutMs);
      this.#waiting = { ...post, done, timer };
      const socket = this.#socket;
      const bytes = Buffer.concat([Buffer.from(post.head, 'latin1'), ...post.body]);
      if (socket.destroyed) this.#broke('the connection was closed');
      else if (this.#connected) socket.write(bytes);
      else this.#unsent = bytes;
    });
  }

  /** An idle one does not keep the process. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** The piece is good until this returns. */
  #take(piece: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === undefined) {
      this.destroy(); // bytes that nobody asked for
      return;
    }
    if (this.#head !== undefined && this.#body !== undefined) {
      this.#fill(this.#head, this.#body, piece);
      return;
    }
    const here = this.#early === undefined ? piece : Buffer.concat([this.#early, piece]);
    const head = this.#head ?? headOf(here);
    if (head === 'broken') this.#broke('the answer is no HTTP');
    else if (head === 'incomplete') this.#early = Buffer.from(here);
    else this.#proceed(waiting, head, here);
  }

  #proceed(waiting: Waiting, head: Head, here: Buffer): void {
    const { status, size, closes } = head;
    const body = here.subarray(head.bodyAt);
    const known = Math.max(size ?? 0, body.length);
    if (known > waiting.maxBytes || waiting.reserve?.(known) === false) {
      this.#settle({ kind: 'too_large', status, head: Buffer.from(body), size: known });
      this.destroy();
      return;
    }
    this.#head = head;
    if (size !== undefined) {
      this.#body = Buffer.allocUnsafe(size);
      this.#fill(head, this.#body, body);
      return;
    }
    const bytes = unchunked(body);
    if (bytes !== undefined) this.#answer({ kind: 'answer', status, bytes }, closes);
    else this.#early = Buffer.from(here);
  }

  #fill({ status, closes }: Head, body: Buffer, piece: Buffer): void {
    if (this.#filled + piece.length > body.length) {
      this.#broke('the answer is longer than announced');
      return;
    }
    body.set(piece, this.#filled);
    this.#filled += piece.length;
    if (this.#filled === body.length) this.#answer({ kind: 'answer', status, bytes: body }, closes);
  }

  #answer(exchanged: Exchanged, closes: boolean): void {
    this.#settle(exchanged);
    if (closes) this.destroy();
    else this.#free(this);
  }

  #broke(message: string): void {
    this.#settle(this.#connected ? { kind: 'lost', message } : { kind: 'not_sent', message });
    this.destroy();
  }

  #settle(exchanged: Exchanged): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#waiting = undefined;
    this.#early = undefined;
    this.#head = undefined;
    this.#body = undefined;
    this.#filled = 0;
    waiting.done(exchanged);
  }
}

/** The head at the beginning of these bytes. */
function headOf(bytes: Buffer): Head | 'incomplete' | 'broken' {
  const bodyAt = bytes.indexOf('\r\n\r\n') + 4;
  if (bodyAt < 4) return bytes.length <= HEAD_BYTES_MAX ? 'incomplete' : 'broken';
  const text = bytes.toString('latin1', 0, bodyAt);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  if (status === undefined) return 'broken';
  const size = /\r\ncontent-length: *(\d+)\r\n/i.exec(text)?.[1];
  const chunked = /\r\ntransfer-encoding: *chunked\r\n/i.test(text);
  if (size === undefined && !chunked && status !== '204') return 'broken';
  return {
    status: Number(status),
    bodyAt,
    size: chunked ? undefined : Number(size ?? 0),
    closes: /\r\nconnection: *close\r\n/i.test(text),
  };
}

/** The bytes of a body in chunks; `undefined` while its last chunk is not here. */
function unchunked(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (Number.isNaN(size)) return undefined;
    if (size === 0) return bytes.indexOf('\r\n', end + 2) < 0 ? undefined : Buffer.concat(pieces);
    if (end + 2 + size + 2 > bytes.length) return undefined;
    pieces.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
