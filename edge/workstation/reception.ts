/**
 * What comes in over the device's sockets: upgrades, hellos, frames, ends.
 *
 * Decided here: which socket is listened to, and what each frame means. No frame ends a link that has been welcomed: one
 * that cannot be used is answered with a problem, and ends at most the call that it names.
 */
import {
  CLOSE,
  type Decoded,
  decodeFrame,
  type FrameHeader,
  type FrameOf,
  LINK_SUBPROTOCOL,
} from '../../contract/link/index.ts';
import { HANDSHAKE_MS } from '../limits.ts';
import { log } from '../log.ts';
import { attachmentOf, type Connections, close, send } from './connections.ts';
import type { DeviceRow } from './device-row.ts';
import type { Dispatch } from './dispatch.ts';
import { judgeHello } from './hello.ts';
import type { Tombstones } from './tombstones.ts';

/** The link's name at the fleet: its end is told under it. */
export const LINK_ID_HEADER = 'x-link-id';

export interface ReceptionContext {
  connections: Connections;
  dispatch: Dispatch;
  device: DeviceRow;
  tombstones: Tombstones;
  /** For logs. */
  deviceId: string | undefined;
  edgeVersion: string;
}

export class Reception {
  readonly #in: ReceptionContext;
  /** Runs only while a socket owes its hello, because a timer keeps the object from hibernating. */
  #newcomers: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ReceptionContext) {
    this.#in = context;
  }

  /** The upgrade of a device that the Worker has authenticated. */
  upgrade(request: Request): Response {
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return new Response(null, { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#in.connections.accept(server, request.headers.get(LINK_ID_HEADER) ?? crypto.randomUUID(), Date.now());
    this.#watchNewcomers();
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { 'sec-websocket-protocol': LINK_SUBPROTOCOL },
    });
  }

  message(socket: WebSocket, message: string | ArrayBuffer): void {
    const role = socket === this.#in.connections.active?.socket ? 'active' : attachmentOf(socket)?.role;
    if (role === 'replaced') return;
    if (typeof message === 'string') {
      problem(socket, 'malformed', 'Frames are binary; the only texts are ping and pong.');
      return;
    }
    const bytes = new Uint8Array(message);
    const frame = decodeFrame(bytes);
    if (!frame.ok) this.#unusable(socket, frame, bytes);
    else if (frame.header.kind === 'hello') this.#hello(socket, frame.header);
    else if (role === 'new') close(socket, CLOSE.handshake, 'the first frame must be a hello');
    else this.#heard(socket, frame.header, frame.payload);
  }

  closed(socket: WebSocket, code: number): void {
    this.#in.connections.closed(socket, code);
    close(socket, 1000, 'bye');
  }

  #hello(socket: WebSocket, hello: FrameOf<'hello'>): void {
    const { connections, device, dispatch, tombstones } = this.#in;
    const nowMs = Date.now();
    const refusal = judgeHello(hello, { revoked: device.revoked, ...device.standing });
    if (refusal) {
      send(socket, { kind: 'refuse', reason: refusal.reason, message: refusal.message });
      log('link_refused', { device: this.#in.deviceId, reason: refusal.reason });
      const { active } = connections;
      if (active?.socket === socket) connections.drop(active, refusal.close, refusal.reason);
      else close(socket, refusal.close, refusal.reason);
      return;
    }
    if (connections.isOutdated(socket)) {
      close(socket, CLOSE.replaced, 'a newer link of this device serves');
      return;
    }
    const first = connections.active?.socket !== socket;
    const facts = { bootId: hello.boot_id, linkVersion: hello.link_version, runtime: hello.runtime };
    const holds = new Set(hello.holds.map((held) => held.dispatch_id));
    const link = connections.activate(socket, facts, holds, nowMs);
    this.#watchNewcomers();
    if (first) {
      device.connected(link, nowMs);
      log('link_connected', { device: this.#in.deviceId, boot: link.bootId, version: link.linkVersion });
    }
    send(socket, {
      kind: 'welcome',
      protocol: hello.protocol,
      edge_version: this.#in.edgeVersion,
      now_ms: nowMs,
      ...dispatch.welcome(link, nowMs),
    });
    for (const connector_id of tombstones) send(socket, { kind: 'revoke', connector_id });
    dispatch.resume(nowMs);
  }

  #heard(socket: WebSocket, header: FrameHeader, payload: Uint8Array): void {
    const { connections, dispatch } = this.#in;
    const link = connections.active;
    if (link?.socket !== socket) return;
    link.lastFrameAtMs = Date.now();
    switch (header.kind) {
      case 'result':
        if (dispatch.intake.result(header.result, header.offset, header.last, payload) === 'gap') {
          const text = 'This chunk does not continue the result; send it again from its beginning.';
          problem(socket, 'out_of_order', text, header.result.dispatch_id);
        }
        return;
      case 'accepted':
        dispatch.accepted(header.dispatch_id);
        return;
      case 'drain':
        connections.drain(link);
        return;
      case 'status':
        if (header.query) send(socket, { kind: 'status', query: false, active: dispatch.active.count });
        return;
      case 'problem':
        log('link_problem', { device: this.#in.deviceId, code: header.code, dispatch: header.dispatch_id });
        if (header.dispatch_id !== undefined) dispatch.refusedByLink(header.dispatch_id);
        return;
      default:
        // Only the edge sends the other kinds; from a link they are somebody's mistake, and harmless.
        problem(socket, 'out_of_order', `A link does not send ${header.kind}.`);
    }
  }

  #unusable(socket: WebSocket, frame: Extract<Decoded, { ok: false }>, bytes: Uint8Array): void {
    log('frame_unusable', { device: this.#in.deviceId, code: frame.code, size: bytes.byteLength });
    if (attachmentOf(socket)?.role === 'new' && frame.code !== 'unknown_kind') {
      close(socket, CLOSE.handshake, 'the first frame must be a hello');
      return;
    }
    const dispatchId = frame.dispatchId ?? (frame.code === 'too_large' ? dispatchOf(bytes) : undefined);
    problem(socket, frame.code, frame.message, dispatchId);
    if (dispatchId !== undefined && frame.code === 'too_large') this.#in.dispatch.intake.oversized(dispatchId);
  }

  #closeNewcomers(): void {
    this.#newcomers = undefined;
    for (const socket of this.#in.connections.newcomers(Date.now() - HANDSHAKE_MS)) {
      close(socket, CLOSE.handshake, 'no hello came in time');
    }
    this.#watchNewcomers();
  }

  #watchNewcomers(): void {
    if (this.#in.connections.newcomers(Date.now()).length === 0) {
      clearTimeout(this.#newcomers);
      this.#newcomers = undefined;
    } else this.#newcomers ??= setTimeout(() => this.#closeNewcomers(), HANDSHAKE_MS + 1);
  }
}

function problem(socket: WebSocket, code: FrameOf<'problem'>['code'], message: string, dispatchId?: string): void {
  send(socket, {
    kind: 'problem',
    code,
    message: message.slice(0, 1024),
    ...(dispatchId === undefined ? {} : { dispatch_id: dispatchId }),
  });
}

/** The dispatch that an oversized result frame names: its header alone is small enough to read. */
function dispatchOf(bytes: Uint8Array): string | undefined {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const head = decodeFrame(bytes.subarray(0, Math.min(4 + length, bytes.byteLength)));
  return head.ok && head.header.kind === 'result' ? head.header.result.dispatch_id : undefined;
}
