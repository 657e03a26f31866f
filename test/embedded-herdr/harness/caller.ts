/** A plain caller of a Herdr socket, written for the tests alone: one request a connection, everything checked. */
import { connect, type Socket } from 'node:net';
import type { HerdrMethod, HerdrParams, HerdrResults } from '../../../contract/herdr/index.ts';
import { readServerLine, requestLine, type ServerLine } from '../../../contract/herdr/index.ts';
import { until } from './poll.ts';
import { fits, mustFit } from './schema.ts';

/** A refusal by the server. */
export class Refused extends Error {
  readonly code: string;
  readonly id: string;
  constructor(code: string, message: string, id: string) {
    super(`${code}: ${message}`);
    this.code = code;
    this.id = id;
  }
}

/** What came of bytes that were written as they are: the lines that came back until the server closed. */
export async function exchange(path: string, bytes: string | Uint8Array, halfClose = false): Promise<string[]> {
  const line = new Line(path);
  await line.open();
  line.socket.write(bytes);
  if (halfClose) line.socket.end();
  await line.closed;
  return line.texts;
}

/** One connection: its lines as they come. */
export class Line {
  readonly socket: Socket;
  readonly texts: string[] = [];
  readonly closed: Promise<void>;
  isClosed = false;
  #rest = '';
  #opened: Promise<void>;

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.socket.setEncoding('utf8');
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once('connect', () => resolve());
      this.socket.once('error', reject);
    });
    this.closed = new Promise((resolve) => {
      const end = (): void => {
        this.isClosed = true;
        this.socket.destroy();
        resolve();
      };
      this.socket.once('end', end);
      this.socket.once('close', end);
      // A reset is one of the ways in which a server drops a caller.
      this.socket.on('error', end);
    });
    this.socket.on('data', (chunk: string) => {
      const lines = `${this.#rest}${chunk}`.split('\n');
      this.#rest = lines.pop() ?? '';
      this.texts.push(...lines);
    });
  }

  open(): Promise<void> {
    return this.#opened;
  }

  /** The line at this place, parsed, once it is there; throws when the connection ends before. */
  async at(index: number): Promise<ServerLine> {
    const text = await until(`line ${index}`, () => {
      const there = this.texts[index];
      if (there === undefined && this.isClosed) throw new Error('the server closed without this line');
      return there;
    });
    return readServerLine(text);
  }
}

/** A pushed event; lifecycle and per-pane kinds alike. */
export interface Pushed {
  event: string;
  data: Record<string, unknown>;
}

export interface Subscription {
  /** Every event so far. */
  events: Pushed[];
  /** The first event that fits, those that came before the call included. */
  event(name: string, fit?: (data: Record<string, unknown>) => boolean): Promise<Pushed>;
  line: Line;
  close(): void;
}

let calls = 0;

export class Caller {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }

  /** A call whose request and answer are held against Herdr's schema. Throws {@link Refused} for an error answer. */
  async call<M extends HerdrMethod>(method: M, params: HerdrParams[M]): Promise<HerdrResults[M]> {
    mustFit('request', { id: 'x', method, params });
    return (await this.send(method, params)) as HerdrResults[M];
  }

  /** The same without types, for calls that are wrong on purpose. */
  async send(method: string, params: object): Promise<{ type: string }> {
    calls += 1;
    const id = `t-${calls}`;
    const texts = await exchange(this.path, requestLine(id, method, params));
    if (texts.length !== 1) throw new Error(`${method}: ${texts.length} lines instead of one`);
    const answer = readServerLine(texts[0] ?? '');
    if (answer.kind === 'error') {
      mustFit('error_response', JSON.parse(texts[0] ?? ''));
      throw new Refused(answer.error.code, answer.error.message, answer.id);
    }
    if (answer.kind !== 'result') throw new Error(`${method}: ${JSON.stringify(answer)}`);
    mustFit('success_response', JSON.parse(texts[0] ?? ''));
    if (answer.id !== id) throw new Error(`${method}: answered as ${answer.id} instead of ${id}`);
    return answer.result;
  }

  /** The code with which a call is refused; throws when it succeeds. */
  async refusal(method: string, params: object): Promise<string> {
    return (await this.refused(method, params)).code;
  }

  async refused(method: string, params: object): Promise<Refused> {
    try {
      await this.send(method, params);
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
    throw new Error(`${method} was not refused`);
  }

  /** Subscribes and waits for the acknowledgement. Every event is held against Herdr's schema. */
  async subscribe(subscriptions: HerdrParams['events.subscribe']['subscriptions']): Promise<Subscription> {
    mustFit('request', { id: 'x', method: 'events.subscribe', params: { subscriptions } });
    const line = new Line(this.path);
    await line.open();
    line.socket.write(requestLine('sub', 'events.subscribe', { subscriptions }));
    const first = await line.at(0);
    if (first.kind === 'error') throw new Refused(first.error.code, first.error.message, first.id);
    if (first.kind !== 'result') throw new Error(`no acknowledgement: ${JSON.stringify(first)}`);
    const read = (): Pushed[] =>
      line.texts.slice(1).map((text) => {
        const value = JSON.parse(text) as Pushed;
        if (!fits(value.event.includes('.') ? 'subscription_event' : 'event', value)) {
          throw new Error(`an event that does not fit Herdr's schema: ${text}`);
        }
        return value;
      });
    return {
      get events() {
        return read();
      },
      event: (name, fit = () => true) =>
        until(`event ${name}`, () => read().find((pushed) => pushed.event === name && fit(pushed.data))),
      line,
      close: () => line.socket.destroy(),
    };
  }
}
