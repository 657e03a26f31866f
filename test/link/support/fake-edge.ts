/**
 * A stand-in for the edge: a real HTTP server with real WebSockets that checks device tokens, and is as unkind as the
 * real thing on request.
 */
import { createPublicKey, verify } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import { type DevicePublicKey, parseDeviceToken } from '../../../contract/fleet/index.ts';
import { dispatchId } from '../../../contract/ids.ts';
import {
  AUTH_SUBPROTOCOL_PREFIX,
  decodeFrame,
  encodeFrame,
  type FrameHeader,
  type FrameOf,
  LINK_SUBPROTOCOL,
  ResultAssembly,
} from '../../../contract/link/index.ts';

export const DEVICE_ID = 'dev_01J0000000000000000000TEST';

/** One socket of one link, as the edge sees it. */
export class FakeSocket {
  readonly socket: WebSocket;
  readonly frames: { header: FrameHeader; payload: Uint8Array }[] = [];
  readonly results = new Map<string, { envelope: ResultEnvelope; body: Uint8Array }>();
  readonly #assemblies = new Map<string, ResultAssembly>();
  /** Pings answered; the answers are with the operating system. */
  pongs = 0;
  closed: { code: number; reason: string } | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
  }

  send(header: FrameHeader, payload?: Uint8Array): void {
    this.socket.send(encodeFrame(header, payload));
  }

  /** Sends a call and returns its dispatch id. */
  call(overrides: Partial<CallEnvelope> = {}, args: unknown = {}): string {
    const call: CallEnvelope = {
      dispatch_id: newDispatchId(),
      tool: 'herdr_fs_read',
      class: 'read',
      device_id: DEVICE_ID,
      principal: { kind: 'connector', id: 'conn_test', label: 'Test' },
      contract_epoch: 5,
      deadline_ms: 20_000,
      ...overrides,
    };
    this.send({ kind: 'call', call }, new TextEncoder().encode(JSON.stringify(args)));
    return call.dispatch_id;
  }

  of<Kind extends FrameHeader['kind']>(kind: Kind): FrameOf<Kind>[] {
    return this.frames.map((frame) => frame.header).filter((header) => header.kind === kind) as FrameOf<Kind>[];
  }

  acknowledgeAll(): void {
    if (this.socket.readyState === WebSocket.OPEN) this.send({ kind: 'ack', dispatch_ids: [...this.results.keys()] });
  }

  assemble(result: FrameOf<'result'>, payload: Uint8Array): 'more' | 'done' | 'gap' {
    const id = result.result.dispatch_id;
    const assembly = this.#assemblies.get(id) ?? new ResultAssembly(result.result);
    this.#assemblies.set(id, assembly);
    const state = assembly.add(result.offset, payload, result.last);
    if (state === 'done') {
      this.results.set(id, { envelope: result.result, body: assembly.body });
      this.#assemblies.delete(id);
    }
    return state;
  }
}

let serial = 0;
export function newDispatchId(): string {
  serial += 1;
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(0, serial);
  return dispatchId(Date.now(), random);
}

export interface Refusal {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface FakeEdgeOptions {
  /** The device's public key; tokens are checked when it is given. */
  publicKey?: () => DevicePublicKey | undefined;
  tls?: { key: string; cert: string };
}

export class FakeEdge {
  readonly sockets: FakeSocket[] = [];
  readonly requests: { method: string; path: string; authorization: string | undefined; body: unknown }[] = [];
  readonly tokens: string[] = [];
  /** Answers a hello; return `undefined` to say nothing. */
  onHello: (hello: FrameOf<'hello'>, socket: FakeSocket) => FrameHeader | undefined = (hello) => this.welcome(hello);
  /** Results are acknowledged when they are whole. */
  acknowledge = true;
  /** Replaces the upgrade by an HTTP answer. */
  refuseUpgrade: ((token: string | undefined) => Refusal | undefined) | undefined;
  /** REST routes: `METHOD /path` to an answer. */
  readonly routes = new Map<
    string,
    (body: unknown, authorization: string | undefined) => { status: number; body: unknown }
  >();
  onCallResult: ((socket: FakeSocket, id: string) => void) | undefined;
  readonly #server: http.Server;
  readonly #wss = new WebSocketServer({
    noServer: true,
    maxPayload: 64 * 1024 * 1024,
    handleProtocols: () => LINK_SUBPROTOCOL,
  });
  readonly #raw = new Set<Socket>();
  readonly #options: FakeEdgeOptions;

  constructor(options: FakeEdgeOptions = {}) {
    this.#options = options;
    const listener: http.RequestListener = (request, response) => void this.#rest(request, response);
    this.#server = options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#raw.add(socket);
      socket.once('close', () => this.#raw.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head));
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  get latest(): FakeSocket | undefined {
    return this.sockets.at(-1);
  }

  welcome(hello: FrameOf<'hello'>, more: Partial<FrameOf<'welcome'>> = {}): FrameOf<'welcome'> {
    return {
      kind: 'welcome',
      protocol: hello.protocol,
      edge_version: 'fake',
      now_ms: Date.now(),
      awaited: [],
      settled: [],
      missing: [],
      ...more,
    };
  }

  /** Cuts every connection without a close frame. */
  cut(): void {
    for (const socket of this.#raw) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#wss.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #upgrade(request: http.IncomingMessage, socket: Socket, head: Buffer): void {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
    const token = offered
      .find((part) => part.startsWith(AUTH_SUBPROTOCOL_PREFIX))
      ?.slice(AUTH_SUBPROTOCOL_PREFIX.length);
    if (token !== undefined) this.tokens.push(token);
    const refusal = this.refuseUpgrade?.(token) ?? this.#checkToken(token, request.url ?? '', offered);
    if (refusal !== undefined) {
      const body = JSON.stringify(refusal.body ?? {});
      const headers = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...refusal.headers,
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.end(`HTTP/1.1 ${refusal.status} No\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
      return;
    }
    this.#wss.handleUpgrade(request, socket, head, (ws) => this.#accept(ws));
  }

  #checkToken(token: string | undefined, path: string, offered: string[]): Refusal | undefined {
    const no = (message: string) => ({
      status: 401,
      body: { ok: false, code: 'device_auth_failed', message, next: 'x', retryable: false },
    });
    if (offered[0] !== LINK_SUBPROTOCOL) return no('no subprotocol');
    if (path !== `/ws/${DEVICE_ID}`) return no(`path ${path}`);
    const key = this.#options.publicKey?.();
    if (key === undefined) return undefined;
    const parsed = token === undefined ? undefined : parseDeviceToken(token);
    if (parsed === undefined) return no('no token');
    if (this.tokens.filter((each) => each === token).length > 1) return no('replayed');
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    const signed = verify(null, Buffer.from(parsed.signed), publicKey, Buffer.from(parsed.signature, 'base64url'));
    if (!signed || parsed.claims.aud !== this.origin || parsed.claims.sub !== DEVICE_ID) return no('bad token');
    return undefined;
  }

  #accept(ws: WebSocket): void {
    const fake = new FakeSocket(ws);
    this.sockets.push(fake);
    ws.on('error', () => {}); // cut connections are the point of these tests
    ws.on('close', (code, reason) => {
      fake.closed = { code, reason: reason.toString() };
    });
    ws.on('message', (data: Buffer, binary) => {
      if (!binary) {
        if (data.toString() === 'ping') ws.send('pong', () => (fake.pongs += 1));
        return;
      }
      const frame = decodeFrame(data);
      if (!frame.ok) throw new Error(`the link sent a broken frame: ${frame.message}`);
      fake.frames.push({ header: frame.header, payload: frame.payload });
      if (frame.header.kind === 'hello') {
        const answer = this.onHello(frame.header, fake);
        if (answer !== undefined) fake.send(answer);
      } else if (frame.header.kind === 'result') {
        const id = frame.header.result.dispatch_id;
        if (fake.assemble(frame.header, frame.payload) !== 'done') return;
        if (this.acknowledge) fake.send({ kind: 'ack', dispatch_ids: [id] });
        this.onCallResult?.(fake, id);
      }
    });
  }

  async #rest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString('utf8');
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, authorization: headers.authorization, body });
    const route = this.routes.get(`${method} ${url}`);
    const answer = route?.(body, headers.authorization) ?? { status: 404, body: { ok: false } };
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  }
}
