/**
 * One stream of calls to a runtime generation (contract/link/stream.ts), at the link's end. Node's HTTP client costs
 * four times as much for each exchange as the bytes themselves, and a connection for each call of those that run side by
 * side costs a read, a write and a wake-up each (bench/README.md, P1 and P9).
 *
 * What is known of delivery is told apart as for every exchange: nothing is sent before the runtime has taken the stream,
 * so until then a call certainly was not; once bytes may have left, a stream that ends proves nothing.
 */
import { connect, type Socket } from 'node:net';
import {
  CALLS_UPGRADE,
  onePiece,
  PIECE_BYTES,
  type PieceHead,
  PieceReader,
  piecesOf,
  ROUTE,
  sizeOf,
} from '../../contract/link/index.ts';
import { READ_BYTES, STREAM_OPEN_MS } from '../limits.ts';
import type { Exchanged } from './exchange.ts';

export interface Post {
  body: readonly Uint8Array[];
  /** ms until the exchange is given up as lost. */
  timeoutMs: number;
  /** Longest answer in bytes. */
  maxBytes: number;
  /** False when there is no room for an answer of so many bytes. */
  reserve?: (bytes: number) => boolean;
}

interface Waiting extends Post {
  number: number;
  done: (exchanged: Exchanged) => void;
  timer: NodeJS.Timeout;
  sent: boolean;
  /** The answer as far as it is here; without bytes when there is no room for it. */
  answer?: { status: number; total: number; filled: number; bytes: Buffer | undefined };
}

/** A refusal of the upgrade is a short JSON text. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/** An answer that is announced as so many times longer than the longest one is no answer of ours. */
const ANNOUNCED_MAX = 2;

/** How much of an answer that has no room is kept: its envelope says what became of the call. */
const BEGINNING_BYTES = 64 * 1024;

/**
 * Where the bytes of every stream arrive. They are copied to where they belong before the next read, so one place serves
 * all, and a large answer leaves no pieces for the collector: its result is received where it stays.
 */
const arriving = Buffer.allocUnsafeSlow(READ_BYTES);

export interface StreamOptions {
  port: number;
  /** The state folder's bearer. */
  token: string;
  /** Says of the connection, once it is made and before a byte is sent, whether a generation of ours serves there. */
  isOurs: () => boolean;
  /** Called once, when it takes no more calls. */
  gone: (stream: CallStream) => void;
}

export class CallStream {
  readonly token: string;
  readonly #options: StreamOptions;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #reader: PieceReader;
  readonly #patience: NodeJS.Timeout;
  #number = 0;
  /** The runtime took the stream. */
  #open = false;
  #ended = false;
  #corked = false;
  /** What has come of the answer to the upgrade. */
  #early: Buffer = Buffer.alloc(0);
  /** Whose piece is coming, and where its bytes go; undefined for an answer that nobody waits for any more. */
  #current: Waiting | undefined;

  constructor(options: StreamOptions) {
    const { port, token, isOurs } = options;
    this.token = token;
    this.#options = options;
    this.#reader = new PieceReader({ head: (head) => this.#head(head), bytes: (view) => this.#bytes(view) });
    const onread = {
      buffer: arriving,
      callback: (length: number) => {
        this.#take(arriving.subarray(0, length));
        return true;
      },
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#patience = setTimeout(() => this.#broke('the runtime does not take calls'), STREAM_OPEN_MS);
    this.#socket.once('connect', () => {
      if (!isOurs()) this.#broke('another process has its port');
      else this.#socket.write(upgradeOf(port, token), 'latin1');
    });
    this.#socket.on('error', (error) => this.#broke(error.message));
    this.#socket.once('end', () => this.#refusedOrBroke());
    this.#socket.once('close', () => this.#broke('the connection was closed'));
  }

  /** Sends and waits for the answer. Never rejects. As many at once as one likes. */
  exchange(post: Post): Promise<Exchanged> {
    return new Promise((done) => {
      if (this.#ended) {
        done({ kind: 'not_sent', message: 'the connection was closed' });
        return;
      }
      const number = this.#free();
      const timer = setTimeout(() => this.#late(number), post.timeoutMs);
      const waiting: Waiting = { ...post, number, done, timer, sent: false };
      this.#waiting.set(number, waiting);
      if (this.#open) this.#send(waiting);
    });
  }

  close(): void {
    this.#broke('the link is closing');
  }

  /** The next number that nobody waits under. */
  #free(): number {
    do this.#number = (this.#number + 1) >>> 0;
    while (this.#waiting.has(this.#number));
    return this.#number;
  }

  #late(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting !== undefined) this.#settle(waiting, unanswered(waiting, 'no answer in time'));
  }

  /** What is sent in one turn of the event loop leaves together. */
  #send(waiting: Waiting): void {
    const { number, body } = waiting;
    waiting.sent = true;
    const socket = this.#socket;
    if (!this.#corked) {
      this.#corked = true;
      socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        socket.uncork();
      });
    }
    if (sizeOf(body) <= PIECE_BYTES) socket.write(onePiece(number, 0, body));
    else for (const piece of piecesOf(number, 0, body)) for (const bytes of piece) socket.write(bytes);
  }

  /** The piece is good until this returns. */
  #take(bytes: Buffer): void {
    if (this.#ended) return;
    if (this.#open) {
      if (!this.#reader.push(bytes)) this.#broke('the answer is no piece of the stream');
      return;
    }
    this.#early = Buffer.concat([this.#early, bytes]);
    const bodyAt = this.#early.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4 || !this.#early.toString('latin1', 0, bodyAt).startsWith('HTTP/1.1 101 ')) {
      if (this.#early.length > REFUSAL_BYTES_MAX) this.#broke('the answer to the upgrade is too long');
      return; // a refusal is read until the connection ends
    }
    const rest = this.#early.subarray(bodyAt);
    this.#early = Buffer.alloc(0);
    this.#open = true;
    clearTimeout(this.#patience);
    for (const waiting of this.#waiting.values()) this.#send(waiting);
    if (rest.length > 0 && !this.#reader.push(rest)) this.#broke('the answer is no piece of the stream');
  }

  #head({ number, status, total, size }: PieceHead): boolean {
    const waiting = this.#waiting.get(number);
    this.#current = waiting;
    if (waiting === undefined) return true; // it was given up: the bytes go nowhere
    const { answer, maxBytes } = waiting;
    if (answer !== undefined) return answer.total === total && answer.filled + size <= total;
    if (total > ANNOUNCED_MAX * maxBytes) {
      this.#settle(waiting, { kind: 'too_large', status, head: Buffer.alloc(0), size: total });
      return false; // it is not read to its end, so nothing behind it is
    }
    const fits = total <= maxBytes && waiting.reserve?.(total) !== false;
    waiting.answer = { status, total, filled: 0, bytes: fits ? Buffer.allocUnsafe(total) : undefined };
    return true;
  }

  #bytes(view: Uint8Array): void {
    const waiting = this.#current;
    const answer = waiting?.answer;
    if (waiting === undefined || answer === undefined) return;
    const { status, bytes, total } = answer;
    if (bytes === undefined) {
      // Without room, but its beginning says what became of the call. The rest goes nowhere.
      this.#current = undefined;
      const head = Buffer.from(view.subarray(0, BEGINNING_BYTES));
      this.#settle(waiting, { kind: 'too_large', status, head, size: total });
      return;
    }
    bytes.set(view, answer.filled);
    answer.filled += view.length;
    if (answer.filled < total) return;
    this.#current = undefined;
    this.#settle(waiting, { kind: 'answer', status, bytes });
  }

  #refusedOrBroke(): void {
    const refusal = this.#open ? undefined : refusalIn(this.#early);
    if (refusal === undefined) this.#broke('the connection was closed');
    else this.#end((_) => refusal);
  }

  #broke(message: string): void {
    this.#end((waiting) => unanswered(waiting, message));
  }

  #end(outcome: (waiting: Waiting) => Exchanged): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#patience);
    this.#options.gone(this);
    this.#socket.destroy();
    for (const waiting of [...this.#waiting.values()]) this.#settle(waiting, outcome(waiting));
  }

  #settle(waiting: Waiting, exchanged: Exchanged): void {
    clearTimeout(waiting.timer);
    if (this.#waiting.delete(waiting.number)) waiting.done(exchanged);
  }
}

const unanswered = ({ sent }: Waiting, message: string): Exchanged =>
  sent ? { kind: 'lost', message } : { kind: 'not_sent', message };

/** A token has no character that could end its line. */
function upgradeOf(port: number, token: string): string {
  return `GET ${ROUTE.calls} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\nconnection: Upgrade\r\nupgrade: ${CALLS_UPGRADE}\r\n\r\n`;
}

/** What the runtime said instead of taking the stream. */
function refusalIn(early: Buffer): Exchanged | undefined {
  const bodyAt = early.indexOf('\r\n\r\n') + 4;
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(early.toString('latin1', 0, Math.max(0, bodyAt)))?.[1];
  if (status === undefined) return undefined;
  return { kind: 'answer', status: Number(status), bytes: early.subarray(bodyAt) };
}
