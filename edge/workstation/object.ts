import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/durable-sqlite';
import { migrate } from 'drizzle-orm/durable-sqlite/migrator';
import {
  CLOSE,
  type Decoded,
  decodeFrame,
  type FrameHeader,
  type FrameOf,
  LINK_SUBPROTOCOL,
} from '../../contract/link/index.ts';
import { HANDSHAKE_MS, RECEIPTS_LISTED_MAX, SWEEP_MS } from '../limits.ts';
import { log } from '../log.ts';
import { attachmentOf, Connections, close, type Link, send } from './connections.ts';
import { DeviceRow, type Standing } from './device-row.ts';
import { Dispatch } from './dispatch.ts';
import * as told from './failures.ts';
import { judgeHello, SUSPENDED } from './hello.ts';
import { migrations } from './migrations.ts';
import { Receipts } from './receipts.ts';
import { Tombstones } from './tombstones.ts';
import type { CallInput, CallReply, Receipt, ReceiptQuery, WorkstationStatus } from './types.ts';

/** What the object reads of the Worker's environment. */
export interface WorkstationEnv {
  EDGE_VERSION?: string;
}

/**
 * One device: its socket, the calls under way to it, and the receipts of its writes.
 *
 * Idle it hibernates with its socket: pings are answered by the platform, and nothing is written for them. A call comes
 * by RPC, goes out as a frame, and is answered when its result arrives; `call` is idempotent by dispatch id, so the
 * Worker simply calls again when this object was reset under it. Not decided here: who may call (auth), which device is
 * meant (routing), what a tool does (the runtime).
 */
export class Workstation extends DurableObject<WorkstationEnv> {
  readonly #bornAtMs = Date.now();
  readonly #connections: Connections;
  readonly #receipts: Receipts;
  #device!: DeviceRow;
  #tombstones!: Tombstones;
  readonly #dispatch: Dispatch;
  #sweepArmed = false;
  /** Runs only while a socket owes its hello, because a timer keeps the object from hibernating. */
  #newcomers: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, env: WorkstationEnv) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#connections = new Connections(ctx, (link, code) => this.#lost(link, code));
    this.#receipts = new Receipts(ctx.storage.sql);
    this.#dispatch = new Dispatch({
      connections: this.#connections,
      receipts: this.#receipts,
      bornAtMs: this.#bornAtMs,
      lastSeenAtMs: () => this.#device.lastSeenAtMs(this.#bornAtMs),
      receiptWritten: () => this.#armSweep(),
    });
    ctx.blockConcurrencyWhile(async () => {
      await migrate(drizzle(ctx.storage), migrations);
      this.#device = new DeviceRow(ctx.storage.sql);
      this.#tombstones = new Tombstones(ctx.storage.sql);
    });
  }

  // what the Worker asks

  /** Carries one call out, or joins the one under way with the same dispatch id. Never rejects for what the link does. */
  async call(input: CallInput): Promise<CallReply> {
    const { principal, dispatch_id: dispatchId, class: callClass } = input.call;
    if (this.#tombstones.has(principal.id)) return { kind: 'revoked' };
    if (this.#device.revoked) {
      return { kind: 'failure', failure: told.deviceRevoked({ dispatchId, callClass }) };
    }
    const { suspended, paused } = this.#device.standing;
    if (suspended) return { kind: 'failure', failure: told.deviceSuspended({ dispatchId, callClass }) };
    if (paused && !this.#dispatch.knows(dispatchId)) {
      return { kind: 'failure', failure: told.devicePaused({ dispatchId, callClass }) };
    }
    return this.#dispatch.call(input);
  }

  /** The caller went away. Reads are stopped, writes only when the caller `asked` for it. */
  cancel(dispatchId: string, asked: boolean): void {
    this.#dispatch.cancel(dispatchId, asked);
  }

  /** Receipts of one principal's writes, newest first, or that the principal itself was revoked. */
  lookUp(query: ReceiptQuery, principalId: string): { receipts: Receipt[]; connected: boolean } | { revoked: true } {
    if (this.#tombstones.has(principalId)) return { revoked: true };
    const nowMs = Date.now();
    const receipts = this.#receipts.query(query, principalId, nowMs, RECEIPTS_LISTED_MAX);
    return { receipts, connected: this.#connections.heard(nowMs).link?.runtime !== undefined };
  }

  status(): WorkstationStatus {
    const nowMs = Date.now();
    const link = this.#connections.active;
    const silence = link && this.#connections.silence(link, nowMs);
    const oldestMs = this.#dispatch.oldestMs();
    const lastSeenAtMs = silence?.lastSeenAtMs ?? this.#device.lastSeenAtMs(this.#bornAtMs);
    return {
      connection: silence === undefined ? 'offline' : silence.silent ? 'stale' : 'online',
      ...(link ? { connected_at_ms: link.connectedAtMs, link_version: link.linkVersion, boot_id: link.bootId } : {}),
      ...(link?.runtime ? { runtime: link.runtime } : {}),
      ...(lastSeenAtMs === undefined ? {} : { last_seen_at_ms: lastSeenAtMs }),
      draining: link?.draining ?? false,
      revoked: this.#device.revoked,
      connections: this.#device.connections,
      active_calls: this.#dispatch.active,
      ...(oldestMs === undefined ? {} : { oldest_call_ms: nowMs - oldestMs }),
    };
  }

  /** Writes the tombstone and tells the link. Resolves when it is stored; repeating it changes nothing. */
  revokeConnector(connectorId: string): void {
    if (this.#tombstones.add(connectorId, Date.now())) this.#armSweep();
    const link = this.#connections.active;
    if (link) send(link.socket, { kind: 'revoke', connector_id: connectorId });
  }

  /** The device is out for good: tombstone first, then its socket (4401), then whoever waits. Repeating it converges. */
  revokeDevice(): void {
    const nowMs = Date.now();
    this.#device.revoke(nowMs);
    this.#dispatch.failAll('device_revoked', nowMs);
    const link = this.#connections.active;
    if (link) send(link.socket, { kind: 'refuse', reason: 'revoked', message: 'This device was revoked.' });
    this.#connections.closeAll(CLOSE.revoked, 'this device was revoked');
  }

  /**
   * What the registry says of the device from now on. A paused one keeps its socket and what runs, and takes no new
   * call; a suspended one also loses its socket, which its link takes for something that only a person can change.
   */
  setStanding(standing: Standing): void {
    this.#device.stand(standing);
    if (standing.paused) this.#dispatch.refuseUnsent(told.devicePaused);
    if (!standing.suspended) return;
    this.#dispatch.failAll('device_suspended', Date.now());
    const link = this.#connections.active;
    if (link) send(link.socket, { kind: 'refuse', reason: 'suspended', message: SUSPENDED.message });
    this.#connections.closeAll(SUSPENDED.close, 'this device is suspended');
  }

  // the socket

  /** The upgrade of a device that the Worker has authenticated. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return new Response(null, { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    const nowMs = Date.now();
    this.#connections.accept(server, crypto.randomUUID(), nowMs);
    this.#watchNewcomers();
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { 'sec-websocket-protocol': LINK_SUBPROTOCOL },
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const role = socket === this.#connections.active?.socket ? 'active' : attachmentOf(socket)?.role;
    if (role === 'replaced') return;
    if (typeof message === 'string') {
      send(socket, {
        kind: 'problem',
        code: 'malformed',
        message: 'Frames are binary; the only texts are ping and pong.',
      });
      return;
    }
    const bytes = new Uint8Array(message);
    const frame = decodeFrame(bytes);
    if (!frame.ok) this.#unusable(socket, frame, bytes);
    else if (frame.header.kind === 'hello') this.#hello(socket, frame.header);
    else if (role === 'new') close(socket, CLOSE.handshake, 'the first frame must be a hello');
    else this.#heard(socket, frame.header, frame.payload);
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#connections.closed(socket, code);
    close(socket, 1000, 'bye');
  }

  override webSocketError(socket: WebSocket): void {
    this.#connections.closed(socket, 1006);
  }

  /** Deletes what has expired, and comes back a day later only while something is left. */
  override async alarm(): Promise<void> {
    this.#sweepArmed = false;
    const nowMs = Date.now();
    const receipts = this.#receipts.sweep(nowMs);
    const tombstones = this.#tombstones.sweep(nowMs);
    if (receipts || tombstones) this.#armSweep();
  }

  #armSweep(): void {
    if (this.#sweepArmed) return;
    this.#sweepArmed = true;
    this.ctx.waitUntil(
      this.ctx.storage
        .getAlarm()
        .then((armed) => (armed === null ? this.ctx.storage.setAlarm(Date.now() + SWEEP_MS) : undefined)),
    );
  }

  #hello(socket: WebSocket, hello: FrameOf<'hello'>): void {
    const nowMs = Date.now();
    const refusal = judgeHello(hello, { revoked: this.#device.revoked, ...this.#device.standing });
    if (refusal) {
      send(socket, { kind: 'refuse', reason: refusal.reason, message: refusal.message });
      log('link_refused', { device: this.ctx.id.name, reason: refusal.reason });
      if (this.#connections.active?.socket === socket)
        this.#connections.drop(this.#connections.active, refusal.close, refusal.reason);
      else close(socket, refusal.close, refusal.reason);
      return;
    }
    const first = this.#connections.active?.socket !== socket;
    const facts = { bootId: hello.boot_id, linkVersion: hello.link_version, runtime: hello.runtime };
    const holds = new Set(hello.holds.map((held) => held.dispatch_id));
    const link = this.#connections.activate(socket, facts, holds, nowMs);
    this.#watchNewcomers();
    if (first) {
      this.#device.connected(link, nowMs);
      log('link_connected', { device: this.ctx.id.name, boot: link.bootId, version: link.linkVersion });
    }
    send(socket, {
      kind: 'welcome',
      protocol: hello.protocol,
      edge_version: this.env.EDGE_VERSION ?? 'dev',
      now_ms: nowMs,
      ...this.#dispatch.welcome(link, nowMs),
    });
    for (const connector_id of this.#tombstones) send(socket, { kind: 'revoke', connector_id });
    this.#dispatch.resume(link, nowMs);
  }

  #heard(socket: WebSocket, header: FrameHeader, payload: Uint8Array): void {
    const link = this.#connections.active;
    if (link?.socket !== socket) return;
    link.lastFrameAtMs = Date.now();
    switch (header.kind) {
      case 'result':
        if (this.#dispatch.result(header.result, header.offset, header.last, payload) === 'gap') {
          send(socket, {
            kind: 'problem',
            code: 'out_of_order',
            message: 'This chunk does not continue the result; send it again from its beginning.',
            dispatch_id: header.result.dispatch_id,
          });
        }
        return;
      case 'accepted':
        this.#dispatch.accepted(header.dispatch_id);
        return;
      case 'drain':
        this.#connections.drain(link);
        return;
      case 'status':
        if (header.query) send(socket, { kind: 'status', query: false, active: this.#dispatch.active });
        else if (header.runtime) link.runtime = header.runtime;
        return;
      case 'problem':
        log('link_problem', { device: this.ctx.id.name, code: header.code, dispatch: header.dispatch_id });
        if (header.dispatch_id !== undefined) this.#dispatch.refusedByLink(header.dispatch_id);
        return;
      default:
        // Only the edge sends the other kinds; from a link they are somebody's mistake, and harmless.
        send(socket, { kind: 'problem', code: 'out_of_order', message: `A link does not send ${header.kind}.` });
    }
  }

  /** A frame that cannot be used is answered and ends nothing but the call that it names. */
  #unusable(socket: WebSocket, frame: Extract<Decoded, { ok: false }>, bytes: Uint8Array): void {
    log('frame_unusable', { device: this.ctx.id.name, code: frame.code, size: bytes.byteLength });
    if (attachmentOf(socket)?.role === 'new' && frame.code !== 'unknown_kind') {
      close(socket, CLOSE.handshake, 'the first frame must be a hello');
      return;
    }
    const dispatchId = frame.dispatchId ?? (frame.code === 'too_large' ? dispatchOf(bytes) : undefined);
    send(socket, {
      kind: 'problem',
      code: frame.code,
      message: frame.message.slice(0, 1024),
      ...(dispatchId === undefined ? {} : { dispatch_id: dispatchId }),
    });
    if (dispatchId !== undefined && frame.code === 'too_large') this.#dispatch.oversized(dispatchId);
  }

  #closeNewcomers(): void {
    this.#newcomers = undefined;
    for (const socket of this.#connections.newcomers(Date.now() - HANDSHAKE_MS)) {
      close(socket, CLOSE.handshake, 'no hello came in time');
    }
    this.#watchNewcomers();
  }

  #watchNewcomers(): void {
    if (this.#connections.newcomers(Date.now()).length === 0) {
      clearTimeout(this.#newcomers);
      this.#newcomers = undefined;
    } else this.#newcomers ??= setTimeout(() => this.#closeNewcomers(), HANDSHAKE_MS + 1);
  }

  #lost(link: Link, code: number): void {
    this.#device.closed(Date.now(), code);
    log('link_closed', { device: this.ctx.id.name, boot: link.bootId, code });
  }
}

/** The dispatch that an oversized result frame names: its header alone is small enough to read. */
function dispatchOf(bytes: Uint8Array): string | undefined {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const head = decodeFrame(bytes.subarray(0, Math.min(4 + length, bytes.byteLength)));
  return head.ok && head.header.kind === 'result' ? head.header.result.dispatch_id : undefined;
}
