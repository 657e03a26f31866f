/** One WebSocket to the edge, from the attempt to its one ending, with the watch over its life. */
import type { IncomingMessage } from 'node:http';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import WebSocket, { type ClientOptions } from 'ws';
import { FleetRefusal } from '../../contract/fleet/index.ts';
import { AUTH_SUBPROTOCOL_PREFIX, LINK_SUBPROTOCOL } from '../../contract/link/index.ts';
import type { Wire } from '../../local/outbox/index.ts';
import { type Patience, patience } from '../../local/patience/index.ts';
import {
  CLOSE_MS_MAX,
  CONNECT_MS_MAX,
  HANDSHAKE_MS_MAX,
  SOCKET_MESSAGE_BYTES_MAX,
  WAKE_PROBE_MS,
  WATCH_MS,
} from '../limits.ts';
import { clockOf, connectionTo, type Environment, readJson } from '../network/index.ts';
import { linkAddress } from './address.ts';
import type { Ending } from './closing.ts';
import { look, type Vitals } from './liveness.ts';

/** What is read of an edge's refusal of the upgrade. Everything is optional: a gateway in between writes what it likes. */
const Refusal = Type.Partial(Type.Pick(FleetRefusal, ['code', 'message', 'now_ms']));

export interface Clock {
  /** Monotonic ms. */
  mono(): number;
  /** ms since 1970. */
  wall(): number;
}

export interface ConnectionEvents {
  /** The upgrade succeeded; nothing is known of the edge's object yet. */
  opened(): void;
  message(bytes: Buffer): void;
  /** Exactly once, and nothing after it. */
  ended(ending: Ending): void;
}

export interface ConnectionOptions {
  origin: string;
  deviceId: string;
  /** A token made for this attempt. */
  token: string;
  environment: Environment;
  clock: Clock;
}

export class Connection implements Wire {
  readonly #socket: LinkSocket;
  readonly #events: ConnectionEvents;
  readonly #clock: Clock;
  #vitals: Vitals;
  #open = false;
  #confirmedMs: number | undefined;
  #watch: NodeJS.Timeout | undefined;
  #probe: Patience | undefined;
  readonly #patience: Patience;
  #ended = false;

  /** Begins to connect. Throws for an origin that must not be connected to. */
  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    const { clock } = options;
    this.#events = events;
    this.#clock = clock;
    this.#vitals = fresh(clock);
    const address = linkAddress(options.origin, options.deviceId);
    this.#socket = new LinkSocket(address, [LINK_SUBPROTOCOL, `${AUTH_SUBPROTOCOL_PREFIX}${options.token}`], {
      createConnection: connectionTo(address, options.environment) as unknown as ClientOptions['createConnection'],
      handshakeTimeout: HANDSHAKE_MS_MAX,
      closeTimeout: CLOSE_MS_MAX,
      maxPayload: SOCKET_MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      followRedirects: false,
    } as ClientOptions);
    this.#patience = patience(CONNECT_MS_MAX, () => this.abandon('the handshake took too long'));
    this.#listen();
  }

  /** Takes the bytes before it returns: ws masks them into memory of its own. */
  send(bytes: Uint8Array, done: () => void): void {
    if (this.#ended || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(bytes, { binary: true }, (error) => {
      if (error == null && !this.#ended) done();
    });
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  /** Bytes left this machine: a sign of life, because a dead peer's line stops taking any. */
  progressed(): void {
    this.#vitals.heardMs = this.#clock.mono();
  }

  /** A round trip through the edge's object succeeded: only from here on the connection counts as one. */
  confirm(): void {
    this.#confirmedMs ??= this.#clock.mono();
  }

  /** Says goodbye. The ending follows at once. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Ends now, without a word to a peer that does not answer. */
  abandon(why: string): void {
    this.#end({ kind: 'closed', code: 1006, reason: why, ...this.#connected() });
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => {
      this.#open = true;
      this.#patience.end();
      this.#vitals = fresh(this.#clock);
      // A look comes after what has been received: a loop that was held up reads that first.
      this.#watch = setInterval(() => setImmediate(() => this.#look()), WATCH_MS);
      if (!this.#ended) this.#events.opened();
    });
    socket.on('message', (bytes: Buffer, binary: boolean) => {
      if (this.#ended) return;
      this.#vitals.heardMs = this.#clock.mono();
      if (binary) this.#events.message(bytes);
    });
    socket.on('unexpected-response', (_request, response) => void this.#refused(response));
    // A close frame ends the connection the moment it arrives; what the transport does afterwards changes nothing.
    socket.closing = (code, reason) => this.#end({ kind: 'closed', code, reason, ...this.#connected() });
    socket.on('close', (code: number, reason: Buffer) => {
      this.#end({ kind: 'closed', code, reason: reason.toString('utf8'), ...this.#connected() });
    });
    socket.on('error', (error) => {
      if (!this.#open) this.#end({ kind: 'unreachable', message: error.message });
      else this.abandon(error.message);
    });
  }

  /** An HTTP answer in place of the upgrade. Its body may be the edge's refusal, or any gateway's page. */
  async #refused(response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0;
    const { dateMs } = clockOf(response);
    const body = await readJson(response).catch(() => undefined);
    const refusal = Value.Check(Refusal, body) ? body : undefined;
    const edgeNowMs = refusal?.now_ms ?? (status === 401 ? dateMs : undefined);
    this.#end({
      kind: 'http',
      status,
      message: refusal?.message ?? 'it did not say why',
      ...(refusal?.code === undefined ? {} : { code: refusal.code }),
      ...(edgeNowMs === undefined ? {} : { edgeNowMs }),
    });
  }

  #look(): void {
    if (this.#ended) return;
    const { verdict, vitals } = look(this.#vitals, this.#clock.mono(), this.#clock.wall());
    this.#vitals = vitals;
    switch (verdict) {
      case 'alive':
        return;
      case 'dead':
        this.abandon('the edge was silent for too long');
        return;
      case 'ping':
        this.#ping();
        return;
      case 'slept':
        this.#ping();
        this.#probe?.end();
        this.#probe = patience(WAKE_PROBE_MS, () => this.#look());
    }
  }

  #ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('ping');
  }

  #connected(): { connectedMs?: number } {
    return this.#confirmedMs === undefined ? {} : { connectedMs: this.#clock.mono() - this.#confirmedMs };
  }

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#watch);
    this.#probe?.end();
    this.#patience.end();
    // Whatever the transport still reports concerns nobody; without a listener an error would end the process.
    this.#socket.closing = undefined;
    this.#socket.on('error', () => {});
    setTimeout(() => this.#socket.terminate(), CLOSE_MS_MAX).unref();
    if (ending.kind !== 'closed' || ending.code === 1006) this.#socket.terminate();
    this.#events.ended(ending);
  }
}

/** As of a peer that was heard just now. */
function fresh(clock: Clock): Vitals {
  const [nowMs, lookedWallMs] = [clock.mono(), clock.wall()];
  return { heardMs: nowMs, pingedMs: nowMs, lookedMs: nowMs, lookedWallMs };
}

/** ws answers a close frame with its own `close()`, long before it says `close`: that call is the moment we want. */
class LinkSocket extends WebSocket {
  closing: ((code: number, reason: string) => void) | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason);
    this.closing?.(code ?? 1005, reason === undefined ? '' : reason.toString());
  }
}
