/**
 * One stream of calls to a runtime generation (contract/link/stream.ts), at the link's end. Node's HTTP client costs
 * four times as much for each exchange as the bytes themselves, and a connection for each call of those that run side by
 * side costs a read, a write and a wake-up each (bench/README.md, P1 and P9).
 *
 * What is known of delivery is told apart as for every exchange: nothing is sent before the runtime has taken the stream,
 * so until then a call certainly was not; once bytes may have left, a stream that ends proves nothing.
 */
import { connect, type Socket } from 'node:net';
import { CALLS_UPGRADE, type PieceHead, PieceReader, ROUTE } from '../../contract/link/index.ts';
import { PieceOutbox } from '../../local/outbox/pieces.ts';
import { type Patience, patience } from '../../local/patience/index.ts';
import { ANNOUNCED_MAX, BEGINNING_BYTES, READ_BYTES, REFUSAL_BYTES_MAX, STREAM_OPEN_MS } from '../limits.ts';
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
  done: (exchanged: Streamed) => void;
  patience: Patience;
  sent: boolean;
  /** How often something had come from the runtime when it was sent. */
  heard: number;
  /** The answer as far as it is here. One that has no room is kept as far as `bytes` go. */
  answer?: { status: number; total: number; filled: number; bytes: Buffer; fits: boolean };
}

/** What became of one call: as of every exchange, or the generation is of a revision that knows no stream. */
export type Streamed = Exchanged | { kind: 'no_stream' };

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
  readonly #options: StreamOptions;
  readonly #socket: Socket;
  readonly #outbox: PieceOutbox;
  readonly #waiting = new Map<number, Waiting>();
  readonly #reader: PieceReader;
  readonly #patience: Patience;
  #number = 0;
  /** The runtime took the stream. */
  #open = false;
  #ended = false;
  /** How often something has come. */
  #heard = 0;
  /** What has come of the answer to the upgrade. */
  #early: Buffer = Buffer.alloc(0);
  /** Whose piece is coming, and where its bytes go; undefined for an answer that nobody waits for any more. */
  #current: Waiting | undefined;

  constructor(options: StreamOptions) {
    const { port, token, isOurs } = options;
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
    this.#outbox = new PieceOutbox(this.#socket);
    this.#patience = patience(STREAM_OPEN_MS, () => this.#broke('the runtime does not take calls'));
    this.#socket.once('connect', () => {
      const trouble = troubleWith(isOurs);
      if (trouble !== undefined) this.#broke(trouble);
      else this.#socket.write(upgradeOf(port, token), 'latin1');
    });
    this.#socket.on('error', (error) => this.#broke(error.message));
    this.#socket.once('end', () => this.#broke('the connection was closed')); // and waits for nothing to be sent
    this.#socket.once('close', () => this.#broke('the connection was closed'));
  }

  /** Sends and waits for the answer. Never rejects. As many at once as one likes. */
  exchange(post: Post): Promise<Streamed> {
    return new Promise((done) => {
      if (this.#ended) {
        done({ kind: 'not_sent', message: 'the connection was closed' });
        return;
      }
      const number = this.#free();
      const waited = patience(post.timeoutMs, () => this.#late(number));
      const waiting: Waiting = { ...post, number, done, patience: waited, sent: false, heard: 0 };
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

  /**
   * A stream on which nothing came since this call was sent has nobody at its other end who reads. It ends, because what
   * waits in it would pile up, and would run long after its callers were told that nobody knows.
   */
  #late(number: number): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    if (waiting.sent && waiting.heard === this.#heard) this.#broke('no answer in time');
    else this.#settle(waiting, unanswered(waiting, 'no answer in time'));
  }

  #send(waiting: Waiting): void {
    waiting.sent = true;
    waiting.heard = this.#heard;
    this.#outbox.message(waiting.number, 0, waiting.body);
  }

  /** The piece is good until this returns. */
  #take(bytes: Buffer): void {
    if (this.#ended) return;
    this.#heard += 1;
    if (!this.#open) this.#greeted(bytes);
    else if (!this.#reader.push(bytes)) this.#broke('the answer is no piece of the stream');
  }

  /** The head of the answer to the upgrade, as far as it is here. A refusal is over with its head: its peer may stay. */
  #greeted(bytes: Buffer): void {
    this.#early = Buffer.concat([this.#early, bytes]);
    const bodyAt = this.#early.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) {
      if (this.#early.length > REFUSAL_BYTES_MAX) this.#broke('the answer to the upgrade is too long');
      return;
    }
    const rest = this.#early.subarray(bodyAt);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(this.#early.toString('latin1', 0, bodyAt))?.[1]);
    this.#early = Buffer.alloc(0);
    if (status === 101) this.#opened(rest);
    else this.#end(() => refusalOf(status, rest));
  }

  #opened(rest: Buffer): void {
    this.#open = true;
    this.#patience.end();
    for (const waiting of this.#waiting.values()) this.#send(waiting);
    if (rest.length > 0 && !this.#reader.push(rest)) this.#broke('the answer is no piece of the stream');
  }

  #head({ number, status, total, size }: PieceHead): boolean {
    const waiting = this.#waiting.get(number);
    this.#current = waiting;
    if (waiting === undefined) return true; // it was given up: the bytes go nowhere
    const { answer, maxBytes } = waiting;
    if (answer !== undefined) return answer.total === total && answer.filled + size <= total;
    if (total === 0) return false; // every answer says at least what became of its call
    if (total > ANNOUNCED_MAX * maxBytes) {
      this.#settle(waiting, { kind: 'too_large', status, head: Buffer.alloc(0), size: total });
      return false; // it is not read to its end, so nothing behind it is
    }
    const fits = total <= maxBytes && waiting.reserve?.(total) !== false;
    // Without room, but its beginning says what became of the call. The rest goes nowhere.
    const bytes = Buffer.allocUnsafe(fits ? total : Math.min(total, BEGINNING_BYTES));
    waiting.answer = { status, total, filled: 0, bytes, fits };
    return true;
  }

  #bytes(view: Uint8Array): void {
    const waiting = this.#current;
    const answer = waiting?.answer;
    if (waiting === undefined || answer === undefined) return;
    const { status, bytes, total, fits } = answer;
    bytes.set(view.subarray(0, bytes.length - answer.filled), answer.filled);
    answer.filled += view.length;
    if (answer.filled < bytes.length) return;
    this.#current = undefined;
    this.#settle(
      waiting,
      fits ? { kind: 'answer', status, bytes } : { kind: 'too_large', status, head: bytes, size: total },
    );
  }

  #broke(message: string): void {
    this.#end((waiting) => unanswered(waiting, message));
  }

  #end(outcome: (waiting: Waiting) => Streamed): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#patience.end();
    this.#options.gone(this);
    this.#outbox.close();
    this.#socket.destroy();
    for (const waiting of [...this.#waiting.values()]) this.#settle(waiting, outcome(waiting));
  }

  #settle(waiting: Waiting, exchanged: Streamed): void {
    waiting.patience.end();
    if (this.#waiting.delete(waiting.number)) waiting.done(exchanged);
  }
}

const unanswered = ({ sent }: Waiting, message: string): Exchanged =>
  sent ? { kind: 'lost', message } : { kind: 'not_sent', message };

/** Why nothing goes over a connection that was just made. */
export function troubleWith(isOurs: () => boolean): string | undefined {
  try {
    return isOurs() ? undefined : 'another process has its port';
  } catch (error) {
    return error instanceof Error ? error.message : 'whose port it is cannot be told';
  }
}

/** A token has no character that could end its line. */
function upgradeOf(port: number, token: string): string {
  return `GET ${ROUTE.calls} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\nconnection: Upgrade\r\nupgrade: ${CALLS_UPGRADE}\r\n\r\n`;
}

/** What the runtime said instead of taking the stream. No call was sent. */
function refusalOf(status: number, bytes: Buffer): Streamed {
  if (status === 404) return { kind: 'no_stream' };
  if (status === 401) return { kind: 'answer', status, bytes };
  return { kind: 'not_sent', message: `the runtime answered ${status} instead of taking calls` };
}
