import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/durable-sqlite';
import { migrate } from 'drizzle-orm/durable-sqlite/migrator';
import { CLOSE } from '../../contract/link/index.ts';
import { type IdentityEnv, MAIN } from '../http/index.ts';
import { RECEIPTS_LISTED_MAX, SETTLE_WAIT_MS, SWEEP_MS } from '../limits.ts';
import { log, logFault } from '../log.ts';
import { Connections, type Link, send } from './connections.ts';
import { DeviceRow, type Standing } from './device-row.ts';
import { Dispatch } from './dispatch.ts';
import * as told from './failures.ts';
import { SUSPENDED } from './hello.ts';
import { migrations } from './migrations.ts';
import { Receipts } from './receipts.ts';
import { Reception } from './reception.ts';
import { Tombstones } from './tombstones.ts';
import type { CallInput, CallReply, Receipt, ReceiptQuery, WorkstationStatus } from './types.ts';

/** What the object reads of the Worker's environment. */
export interface WorkstationEnv {
  FLEET: IdentityEnv['FLEET'];
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
  #reception!: Reception;
  #sweepArmed = false;

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
      this.#reception = new Reception({
        connections: this.#connections,
        dispatch: this.#dispatch,
        device: this.#device,
        tombstones: this.#tombstones,
        deviceId: ctx.id.name,
        edgeVersion: env.EDGE_VERSION ?? 'dev',
      });
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
  async lookUp(
    query: ReceiptQuery,
    principalId: string,
  ): Promise<{ receipts: Receipt[]; connected: boolean } | { revoked: true }> {
    if (this.#tombstones.has(principalId)) return { revoked: true };
    await this.#settleOld();
    const nowMs = Date.now();
    const receipts = this.#receipts.query(query, principalId, nowMs, RECEIPTS_LISTED_MAX);
    return { receipts, connected: this.#connections.heard(nowMs).link?.runtime !== undefined };
  }

  /** Receipts of everybody's writes, for who sits at the workstation. */
  async receiptsOfAll(query: ReceiptQuery): Promise<Receipt[]> {
    await this.#settleOld();
    return this.#receipts.queryAll(query, Date.now(), RECEIPTS_LISTED_MAX);
  }

  /** Asks again about writes in doubt, because at the link's hello they may have been too young to ask about. */
  async #settleOld(): Promise<void> {
    this.#dispatch.old.ask(Date.now());
    await this.#dispatch.old.answered(SETTLE_WAIT_MS);
  }

  status(): WorkstationStatus {
    const nowMs = Date.now();
    const link = this.#connections.active;
    const silence = link && this.#connections.silence(link, nowMs);
    const { count, oldestMs } = this.#dispatch.active;
    const lastSeenAtMs = silence?.lastSeenAtMs ?? this.#device.lastSeenAtMs(this.#bornAtMs);
    return {
      connection: silence === undefined ? 'offline' : silence.silent ? 'stale' : 'online',
      ...(link ? { connected_at_ms: link.connectedAtMs, link_version: link.linkVersion, boot_id: link.bootId } : {}),
      ...(link?.runtime ? { runtime: link.runtime } : {}),
      ...(lastSeenAtMs === undefined ? {} : { last_seen_at_ms: lastSeenAtMs }),
      draining: link?.draining ?? false,
      revoked: this.#device.revoked,
      connections: this.#device.connections,
      active_calls: count,
      ...(oldestMs === undefined ? {} : { oldest_call_ms: nowMs - oldestMs }),
    };
  }

  /**
   * Writes the tombstone, ends what was not sent yet, and tells the link. Resolves when it is stored; repeating it
   * changes nothing.
   */
  revokeConnector(connectorId: string): void {
    if (this.#tombstones.add(connectorId, Date.now())) this.#armSweep();
    this.#dispatch.endUnsent(() => ({ kind: 'revoked' }), connectorId);
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
    if (standing.paused) {
      this.#dispatch.endUnsent(({ context }) => ({ kind: 'failure', failure: told.devicePaused(context) }));
    }
    if (!standing.suspended) return;
    this.#dispatch.failAll('device_suspended', Date.now());
    const link = this.#connections.active;
    if (link) send(link.socket, { kind: 'refuse', reason: 'suspended', message: SUSPENDED.message });
    this.#connections.closeAll(SUSPENDED.close, 'this device is suspended');
  }

  // the socket

  override async fetch(request: Request): Promise<Response> {
    return this.#reception.upgrade(request);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#reception.message(socket, message);
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#reception.closed(socket, code);
  }

  override webSocketError(socket: WebSocket): void {
    this.#reception.closed(socket, 1006);
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

  #lost(link: Link, code: number): void {
    this.#device.closed(Date.now(), code);
    this.ctx.waitUntil(this.#tellFleet(link.connectionId));
    log('link_closed', { device: this.ctx.id.name, boot: link.bootId, code });
  }

  /** So that nobody wakes this object to hear that it is offline. A lost word only costs such a question. */
  async #tellFleet(linkId: string): Promise<void> {
    const { name } = this.ctx.id;
    if (name === undefined) return;
    try {
      await this.env.FLEET.getByName(MAIN).linkEnded(name, linkId);
    } catch (error) {
      logFault('link_ended', error, { device: name });
    }
  }
}
