/** The conversation on one socket: hello and welcome, calls in, results out. It ends with the socket; calls do not. */
import { CHUNK_BYTES } from '../../contract/limits.ts';
import {
  decodeFrame,
  encodeFrame,
  type FrameHeader,
  type FrameOf,
  LINK_PROTOCOL,
  type RuntimeFacts,
  resultFrames,
} from '../../contract/link/index.ts';
import type { Log } from '../../local/log/index.ts';
import { Outbox, SOCKET_BUFFER_LOW, type Wire } from '../../local/outbox/index.ts';
import { VERSION } from '../../local/version/index.ts';
import type { ForwardEvents, Forwarder } from '../forward/index.ts';
import { RESEND_MAX, RESULT_HEADER_BYTES } from '../limits.ts';
import { reconcile } from './reconcile.ts';

/**
 * Where frames of results are put together. The socket copies what it is given while it masks it, so one place serves all
 * of them, and a large result leaves less to the collector.
 */
const scratch = new Uint8Array(CHUNK_BYTES + RESULT_HEADER_BYTES);

export interface SessionEvents {
  welcomed(welcome: FrameOf<'welcome'>): void;
  refused(refusal: FrameOf<'refuse'>): void;
  /** A connector was revoked at the edge. */
  revoke(connectorId: string): void;
}

export interface SessionDeps {
  wire: Wire & { progressed(): void };
  forwarder: Forwarder;
  /** This process. */
  bootId: string;
  runtime: () => RuntimeFacts | undefined;
  log: Log;
  events: SessionEvents;
}

export class Session implements ForwardEvents {
  readonly #deps: SessionDeps;
  readonly #outbox: Outbox;
  /** Results sent over this socket, with how often. */
  readonly #sent = new Map<string, number>();
  /** What the last hello listed, until its welcome came. */
  #announced: FrameOf<'hello'>['holds'] | undefined;
  #welcomed = false;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#outbox = new Outbox(deps.wire, () => deps.wire.progressed());
  }

  /** Says who we are and what we hold; again on the same socket whenever the runtime changed. */
  hello(): void {
    const { forwarder, bootId, runtime } = this.#deps;
    const facts = runtime();
    this.#announced = forwarder.holds();
    this.#send({
      kind: 'hello',
      protocol: LINK_PROTOCOL,
      boot_id: bootId,
      link_version: VERSION,
      ...(facts === undefined ? {} : { runtime: facts }),
      holds: this.#announced,
    });
  }

  /** No new calls from here on. */
  drain(reason: string): void {
    this.#send({ kind: 'drain', reason });
  }

  /** The socket is gone. */
  close(): void {
    this.#outbox.close();
  }

  accepted(dispatchId: string): void {
    if (this.#welcomed) this.#send({ kind: 'accepted', dispatch_id: dispatchId });
  }

  finished(dispatchId: string): void {
    if (this.#welcomed) this.#sendResult(dispatchId);
  }

  /** One message from the edge. Never throws: no frame may end the link. */
  receive(bytes: Uint8Array): void {
    const decoded = decodeFrame(bytes);
    if (decoded.ok) {
      this.#take(decoded.header, decoded.payload);
      return;
    }
    this.#deps.log.warn({ code: decoded.code, reason: decoded.message }, 'a frame could not be used');
    this.#problem(decoded.code, decoded.message, decoded.dispatchId);
  }

  #take(header: FrameHeader, payload: Uint8Array): void {
    const { forwarder, events } = this.#deps;
    switch (header.kind) {
      case 'welcome':
        this.#welcome(header);
        break;
      case 'refuse':
        events.refused(header);
        break;
      case 'call':
        if (this.#welcomed) forwarder.take(header.call, payload);
        else this.#problem('out_of_order', 'a call before the welcome', header.call.dispatch_id);
        break;
      case 'ack':
        this.#settle(header.dispatch_ids);
        break;
      case 'cancel':
        void forwarder.cancel(header.dispatch_id, header.reason);
        break;
      case 'settle':
        forwarder.settle(header.dispatch_id, header.runtime_boot_id);
        break;
      case 'revoke':
        events.revoke(header.connector_id);
        break;
      case 'status':
        if (header.query) this.#status();
        break;
      case 'problem':
        this.#troubled(header);
        break;
      case 'drain':
        break;
      case 'hello':
      case 'accepted':
      case 'result':
        this.#problem('out_of_order', `a ${header.kind} frame comes from a link, never to one`);
    }
  }

  #welcome(welcome: FrameOf<'welcome'>): void {
    const holds = this.#announced;
    if (holds === undefined) {
      this.#problem('out_of_order', 'a welcome without a hello');
      return;
    }
    this.#announced = undefined;
    const { forwarder, events } = this.#deps;
    const todo = reconcile(holds, welcome);
    this.#settle(todo.forget);
    if (!this.#welcomed) events.welcomed(welcome);
    this.#welcomed = true;
    const awaited = new Set(welcome.awaited);
    for (const id of [...todo.first, ...todo.later]) {
      if (!this.#sent.has(id) || (awaited.has(id) && !this.#outbox.has(id))) this.#sendResult(id);
    }
    // What finished between the hello and its welcome was not listed as such, and had nowhere to go yet.
    for (const { dispatch_id: id, state } of forwarder.holds()) {
      if (state === 'finished' && !this.#sent.has(id)) this.#sendResult(id);
    }
  }

  /** The edge needs these no more. */
  #settle(ids: readonly string[]): void {
    for (const id of ids) {
      this.#outbox.drop(id);
      this.#sent.delete(id);
    }
    this.#deps.forwarder.acknowledge(ids);
  }

  /** The edge could not use a frame of ours. A gap in a result is mended by sending it again, a few times at most. */
  #troubled(problem: FrameOf<'problem'>): void {
    const { code, message, dispatch_id: id } = problem;
    this.#deps.log.warn({ code, reason: message, dispatch_id: id }, 'the edge had a problem');
    if (code === 'out_of_order' && id !== undefined && (this.#sent.get(id) ?? 0) <= RESEND_MAX) this.#sendResult(id);
  }

  /** Sends a result that is here; fetches one that is still with the runtime, which then comes back as `finished`. */
  #sendResult(id: string): void {
    const kept = this.#deps.forwarder.result(id);
    if (kept === undefined) {
      this.#deps.forwarder.need([id]);
      return;
    }
    this.#sent.set(id, (this.#sent.get(id) ?? 0) + 1);
    const frames = resultFrames(kept.envelope, kept.body, scratch);
    if (kept.body.length > SOCKET_BUFFER_LOW) this.#outbox.inTurn(id, frames);
    else for (const frame of frames) this.#outbox.now(frame);
  }

  #status(): void {
    const { forwarder, runtime } = this.#deps;
    const facts = runtime();
    const oldest = forwarder.oldestUnacknowledgedMs;
    this.#send({
      kind: 'status',
      query: false,
      active: forwarder.active,
      ...(facts === undefined ? {} : { runtime: facts }),
      ...(oldest === undefined ? {} : { oldest_unacknowledged_ms: oldest }),
    });
  }

  #problem(code: FrameOf<'problem'>['code'], message: string, dispatchId?: string): void {
    const text = message.slice(0, 1024);
    this.#send({
      kind: 'problem',
      code,
      message: text,
      ...(dispatchId === undefined ? {} : { dispatch_id: dispatchId }),
    });
  }

  #send(header: FrameHeader): void {
    this.#outbox.now(encodeFrame(header));
  }
}
