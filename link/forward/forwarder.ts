/**
 * Every call on its way between the edge and the runtime. It outlives the socket: calls go on running while the link
 * reconnects, and a result is kept until the edge has acknowledged it.
 */
import type { CallEnvelope } from '../../contract/call.ts';
import { READ_RESULT_TTL_MS } from '../../contract/limits.ts';
import type { FrameOf } from '../../contract/link/index.ts';
import type { OutcomeError } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import { RUNNING_MAX, WAITING_MAX } from '../limits.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { cancelledWhileWaiting, draining, queueFull, tooLate, uncertain, wrongDevice } from './attempts.ts';
import { type Dispatch, Dispatches, expired, KEPT_DISPATCHES_MAX, type Kept } from './dispatches.ts';
import { generationNamedIn } from './generation-named-in.ts';
import { failed, type HandoverDeps, handOver } from './handover.ts';
import type { Leases } from './leases.ts';
import type { RuntimeClient } from './runtime-client.ts';
import { WaitingLine } from './waiting-line.ts';

/** What the connection, while there is one, wants to hear. */
export interface ForwardEvents {
  /** A write is being handed to the runtime. */
  accepted(dispatchId: string): void;
  /** A result is here; {@link Forwarder.result} gives it. */
  finished(dispatchId: string): void;
}

export interface ForwarderDeps {
  deviceId: string;
  leases: Leases;
  client: RuntimeClient;
  log: Log;
  /** Monotonic ms. */
  now: () => number;
}

type Hold = FrameOf<'hello'>['holds'][number];

export class Forwarder {
  readonly #deps: ForwarderDeps;
  readonly #dispatches = new Dispatches();
  readonly #waiting: WaitingLine;
  readonly #acknowledgements: Acknowledgements;
  readonly #pauses = new Set<() => void>();
  #running = 0;
  /** Calls taken from the edge so far. */
  taken = 0;
  #draining = false;
  #closed = false;
  #events: ForwardEvents | undefined;
  #idle: (() => void) | undefined;

  constructor(deps: ForwarderDeps) {
    this.#deps = deps;
    this.#acknowledgements = new Acknowledgements(deps.client);
    this.#waiting = new WaitingLine(deps.now, (late) => this.#finish(late, failed(late, tooLate())));
  }

  /** The connection that hears of events from now on; `undefined` while there is none. */
  listen(events: ForwardEvents | undefined): void {
    this.#events = events;
  }

  /** Takes a call from the edge. A dispatch that is known already is never run a second time; its state is told again. */
  take(envelope: CallEnvelope, args: Uint8Array): void {
    const id = envelope.dispatch_id;
    if (this.#tellKnown(id)) return;
    const dispatch: Dispatch = {
      id,
      class: envelope.class,
      state: 'waiting',
      // The frame's bytes belong to the socket's buffer; a queued call must not keep all of it, nor see it change.
      call: { envelope, args: args.slice() },
      receivedMs: this.#deps.now(),
    };
    this.#dispatches.add(dispatch);
    this.taken += 1;
    const refusal = this.#refusal(envelope);
    if (refusal !== undefined) this.#finish(dispatch, failed(dispatch, refusal));
    else this.#enqueue(dispatch);
  }

  /** The edge does not know what became of a write that was sent while that boot of the runtime served: its ledger does. */
  settle(id: string, sentToBoot: string): void {
    if (this.#tellKnown(id)) return;
    const dispatch: Dispatch = { id, class: 'write', state: 'waiting', receivedMs: this.#deps.now(), sentToBoot };
    this.#dispatches.add(dispatch);
    this.#enqueue(dispatch);
  }

  /** Tells again how far a known dispatch is. False when there is none. */
  #tellKnown(id: string): boolean {
    const known = this.#dispatches.get(id);
    if (known === undefined) return false;
    if (known.state === 'finished') this.#events?.finished(id);
    else if (known.state === 'running') this.#tellAccepted(known);
    else this.need([id]);
    return true;
  }

  #refusal(envelope: CallEnvelope): OutcomeError | undefined {
    if (envelope.device_id !== this.#deps.deviceId) return wrongDevice();
    if (this.#draining) return draining();
    if (this.#running >= RUNNING_MAX && this.#waiting.length >= WAITING_MAX) return queueFull(this.#waiting.length);
    return undefined;
  }

  /** The caller asked to stop. What waits never begins; what runs is told to stop and then answers for itself. */
  async cancel(id: string, reason: string | undefined): Promise<void> {
    const dispatch = this.#dispatches.get(id);
    if (dispatch === undefined || dispatch.state === 'finished' || dispatch.state === 'stored') return;
    if (dispatch.call !== undefined && this.#waiting.remove(dispatch)) {
      this.#finish(dispatch, failed(dispatch, cancelledWhileWaiting()));
      return;
    }
    if (dispatch.endpoint === undefined) {
      dispatch.cancelled = true;
      return;
    }
    const cancelled = await this.#deps.client.cancel(dispatch.endpoint, id, reason);
    this.#deps.log.info({ dispatch_id: id, cancelled: cancelled ?? 'unknown' }, 'cancel passed on');
  }

  /** A connector was revoked at the edge; every generation that may still take its calls is told. */
  async revoke(connectorId: string): Promise<boolean> {
    const lease = await this.#deps.leases.active();
    if (lease === undefined) return false;
    try {
      return await this.#deps.client.revoke(lease.endpoint, connectorId);
    } finally {
      lease.release();
    }
  }

  /** The edge has these results, or needs them no more: forgotten here, and the runtime may forget them too. */
  acknowledge(ids: readonly string[]): void {
    for (const id of ids) {
      const dispatch = this.#dispatches.get(id);
      if (dispatch === undefined || (dispatch.state !== 'finished' && dispatch.state !== 'stored')) continue;
      this.#dispatches.remove(id);
      if (dispatch.endpoint !== undefined) this.#acknowledgements.add(dispatch.endpoint, id);
    }
    this.#settleIdle();
  }

  result(id: string): Kept | undefined {
    return this.#dispatches.get(id)?.kept;
  }

  /** What the hello lists. */
  holds(): Hold[] {
    this.sweep();
    return Array.from(this.#dispatches.all(), ({ id, state }) => ({
      dispatch_id: id,
      state: state === 'finished' || state === 'stored' ? 'finished' : 'running',
    }));
  }

  /** Fetches results that are still with the runtime. Unknown ids are ignored. */
  need(ids: readonly string[]): void {
    for (const id of ids) {
      const dispatch = this.#dispatches.get(id);
      if (dispatch?.state !== 'stored') continue;
      dispatch.state = 'waiting';
      this.#enqueue(dispatch);
    }
  }

  /**
   * Asks a runtime what it holds for us and takes over what is not known here: after a restart of the link this is
   * everything. False when the runtime did not answer.
   */
  async recover(endpoint: string): Promise<boolean> {
    const { answer, acknowledged } = await this.#acknowledgements.around(() => this.#deps.client.held(endpoint));
    if (answer === undefined) return false;
    for (const held of answer.held.slice(-KEPT_DISPATCHES_MAX)) {
      if (this.#dispatches.get(held.dispatch_id) !== undefined || acknowledged.has(held.dispatch_id)) continue;
      const dispatch: Dispatch = {
        id: held.dispatch_id,
        class: held.class,
        state: held.state === 'finished' ? 'stored' : 'waiting',
        receivedMs: this.#deps.now(),
        endpoint,
      };
      this.#dispatches.add(dispatch);
      if (dispatch.state === 'waiting') this.#enqueue(dispatch);
    }
    return true;
  }

  /** Forgets finished reads that nobody fetched in time, and what is above the bound. */
  sweep(): void {
    const gone = expired(this.#dispatches.all(), this.#deps.now(), READ_RESULT_TTL_MS, KEPT_DISPATCHES_MAX);
    for (const id of gone) this.#dispatches.remove(id);
  }

  /** Calls that run or wait. */
  get active(): number {
    return this.#running + this.#waiting.length;
  }

  /** Age in ms of the oldest result that the edge has not acknowledged; health that a green light would hide. */
  get oldestUnacknowledgedMs(): number | undefined {
    for (const dispatch of this.#dispatches.all()) {
      if (dispatch.finishedMs !== undefined) return Math.round(this.#deps.now() - dispatch.finishedMs);
    }
    return undefined;
  }

  /** Takes no new call. Resolves when everything was answered and acknowledged, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    const settled = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    this.#settleIdle();
    await Promise.race([settled, this.#pause(ms)]);
  }

  /** Ends here; what runs goes on in the runtime, which keeps the results. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.close();
    this.#events = undefined;
    for (const wake of this.#pauses) wake();
    await this.#acknowledgements.flush();
    this.#deps.client.close();
  }

  #enqueue(dispatch: Dispatch): void {
    this.#waiting.push(dispatch);
    this.#begin();
    this.#waiting.watch();
  }

  #begin(): void {
    while (this.#running < RUNNING_MAX && !this.#closed) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#run(next);
    }
  }

  async #run(dispatch: Dispatch): Promise<void> {
    dispatch.state = 'running';
    const deps: HandoverDeps = {
      ...this.#deps,
      pause: (ms) => this.#pause(ms),
      closed: () => this.#closed,
      begun: () => this.#tellAccepted(dispatch),
      reserve: (bytes) => this.#dispatches.reserve(dispatch, bytes),
    };
    const call = dispatch.call;
    const generation = call === undefined ? dispatch.generation : generationNamedIn(call.envelope.tool, call.args);
    try {
      const kept = await handOver(dispatch, generation, deps);
      if (kept === 'forgotten') this.#dispatches.remove(dispatch.id);
      else if (kept !== undefined) this.#finish(dispatch, kept);
    } catch (error) {
      this.#deps.log.error({ err: error, dispatch_id: dispatch.id }, 'a handover broke');
      this.#finish(dispatch, failed(dispatch, uncertain('the link itself failed')));
    } finally {
      this.#running -= 1;
      this.#begin();
    }
  }

  /** Reads are sent again when they got lost, so nobody needs to know how far one came; that saves a frame for each. */
  #tellAccepted(dispatch: Dispatch): void {
    if (dispatch.class === 'write') this.#events?.accepted(dispatch.id);
  }

  #finish(dispatch: Dispatch, kept: Kept): void {
    this.#dispatches.finish(dispatch, kept, this.#deps.now());
    this.#events?.finished(dispatch.id);
    this.#settleIdle();
    // Only an edge that acknowledges nothing lets them pile up; looking at each of them is not for every call.
    if (this.#dispatches.size > KEPT_DISPATCHES_MAX) this.sweep();
  }

  #settleIdle(): void {
    if (this.#draining && this.#dispatches.size === 0) this.#idle?.();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#pauses.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#pauses.add(wake);
    });
  }
}
