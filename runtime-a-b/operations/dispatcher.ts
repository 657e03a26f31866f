/**
 * Every call of this generation goes through here, from both doors, and is decided once: who may, whether it is known
 * already, whether its key is, and only then it runs. Writes stand in the ledger before they act. A call outlives the
 * connection that brought it: only {@link Dispatcher.cancel} stops one.
 */
import type { CallEnvelope } from '../../contract/call.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { type CallClass, OutcomeError } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import { FOLLOW_POLL_MS } from '../limits.ts';
import type { State } from '../state/index.ts';
import {
  type Answer,
  answered,
  bounded,
  type Finished,
  failed,
  finish,
  type IntendedChange,
  markReplayed,
  type Outcome,
} from './answer.ts';
import { type AuditTrail, auditEntry } from './audit-trail.ts';
import type { Boots } from './boots.ts';
import { argumentsDigest, keyDigest } from './digest.ts';
import { gatherEvidence, interruptedOutcome } from './interrupted.ts';
import { KeptReads } from './kept-reads.ts';
import type { Ledger, Operation, Reservation } from './ledger.ts';
import type { Revocations } from './revocations.ts';

/** One call as the tools get it. */
export interface Call {
  envelope: CallEnvelope;
  args: Record<string, unknown>;
  callClass: CallClass;
  deadlineAtMs: number;
  signal: AbortSignal;
  intend(changes: readonly IntendedChange[]): void;
}

/** Which door a call came in at: results for the link are kept until it confirms them. */
export type Door = 'link' | 'loopback';

export interface DispatcherParts {
  state: State;
  ledger: Ledger;
  boots: Boots;
  trail: AuditTrail;
  revocations: Revocations;
  log: Log;
  nowMs: () => number;
  /** Checks the arguments without touching anything; throws an {@link OutcomeError}. */
  check: (envelope: CallEnvelope, args: Record<string, unknown>) => void;
  /** Runs the tool; throws an {@link OutcomeError}. */
  perform: (call: Call) => Promise<Answer>;
  /** Whether that exec session still runs. */
  isSessionRunning: (sessionId: string) => boolean;
}

interface Running {
  callClass: CallClass;
  door: Door;
  abort: AbortController;
  done: Promise<Finished>;
}

export interface HeldDispatch {
  dispatch_id: string;
  state: 'running' | 'finished';
  class: CallClass;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #running = new Map<string, Running>();
  readonly #reads = new KeptReads();
  #stopping = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Runs the call, or joins it, or gives what is recorded. Never rejects: every failure is a finished call. */
  submit(envelope: CallEnvelope, args: Record<string, unknown>, callClass: CallClass, door: Door): Promise<Finished> {
    const id = envelope.dispatch_id;
    const running = this.#running.get(id);
    if (running) return running.done;
    const kept = this.#reads.get(id, this.#parts.nowMs());
    if (kept) return Promise.resolve({ ...kept, envelope: { ...kept.envelope, replayed: true } });
    const abort = new AbortController();
    const done = this.#run(envelope, args, callClass, door, abort.signal).finally(() => this.#running.delete(id));
    this.#running.set(id, { callClass, door, abort, done });
    return done;
  }

  async #run(
    envelope: CallEnvelope,
    args: Record<string, unknown>,
    callClass: CallClass,
    door: Door,
    signal: AbortSignal,
  ): Promise<Finished> {
    const { nowMs, log, trail } = this.#parts;
    const started = performance.now();
    const id = envelope.dispatch_id;
    const elapsed = () => performance.now() - started;
    try {
      this.#admit(envelope, args, callClass);
      if (callClass === 'write') return await this.#write(envelope, args, door, signal, elapsed);
      const outcome = await this.#perform({
        envelope,
        args,
        callClass,
        signal,
        ...this.#deadline(envelope),
        intend: refuseIntent,
      });
      const finished = finish(id, outcome, { runtimeMs: elapsed() });
      if (door === 'link') this.#reads.keep(finished, nowMs());
      trail.gather(auditEntry(envelope, args, outcome, nowMs(), elapsed()));
      return finished;
    } catch (error) {
      const outcome = failed(asOutcome(error, log, envelope), callClass, id);
      trail.gather(auditEntry(envelope, args, outcome, nowMs(), elapsed()));
      return finish(id, outcome, { runtimeMs: elapsed() });
    }
  }

  /** What is refused before anything is recorded: nothing ran and nothing will. */
  #admit(envelope: CallEnvelope, args: Record<string, unknown>, callClass: CallClass): void {
    const { principal } = envelope;
    if (principal.kind !== 'local' && this.#parts.revocations.isRevoked(principal.id)) {
      throw new OutcomeError('connector_revoked', 'This connection was revoked on the workstation. Nothing was run.', {
        next: 'Connect again; the owner approves it on the workstation.',
      });
    }
    if (callClass === 'write' && principal.read_only) {
      throw new OutcomeError(
        'connector_read_only',
        'This connection was approved for reading only. Nothing was changed.',
        {
          next: 'Ask the owner to approve a connection that may change things.',
        },
      );
    }
    if (this.#stopping) {
      throw new OutcomeError('workstation_draining', 'This generation of the runtime is stopping. Nothing was run.', {
        delivery: 'not_delivered',
        next: 'Send the call again in a moment.',
      });
    }
    this.#parts.check(envelope, args);
  }

  #deadline(envelope: CallEnvelope): { deadlineAtMs: number } {
    return { deadlineAtMs: this.#parts.nowMs() + Math.min(envelope.deadline_ms, CALL_MS_MAX) };
  }

  async #write(
    envelope: CallEnvelope,
    args: Record<string, unknown>,
    door: Door,
    signal: AbortSignal,
    elapsed: () => number,
  ): Promise<Finished> {
    const { ledger, nowMs, trail, isSessionRunning } = this.#parts;
    const id = envelope.dispatch_id;
    const key = typeof args.idempotency_key === 'string' ? keyDigest(envelope.principal, args.idempotency_key) : null;
    const reservation: Reservation = {
      envelope,
      args,
      argsDigest: argumentsDigest(envelope.tool, args),
      keyDigest: key,
      acknowledged: door === 'loopback',
    };
    const reserved = ledger.reserve(reservation, nowMs(), isSessionRunning);
    if (reserved.kind === 'known') return this.#follow(id, nowMs() + CALL_MS_MAX);
    if (reserved.kind === 'conflict') throw keyConflict(reserved.operation);
    if (reserved.kind === 'repeat') return this.#repeat(reservation, reserved.operation);

    const more = reserved.similar ? { similar_dispatch: similarFact(reserved.similar, nowMs()) } : {};
    const intend = (changes: readonly IntendedChange[]) => ledger.intend(id, JSON.stringify(changes));
    const outcome = await this.#perform(
      { envelope, args, callClass: 'write', signal, ...this.#deadline(envelope), intend },
      more,
    );
    ledger.settle(id, outcome, nowMs(), () => trail.write(auditEntry(envelope, args, outcome, nowMs(), elapsed())));
    return finish(id, outcome, { runtimeMs: elapsed() });
  }

  async #perform(call: Call, more: Record<string, unknown> = {}): Promise<Outcome> {
    const id = call.envelope.dispatch_id;
    try {
      return bounded(answered(await this.#parts.perform(call), more), call.callClass, id);
    } catch (error) {
      const cause = call.signal.aborted && !(error instanceof OutcomeError) ? cancelled(call.callClass) : error;
      return failed(asOutcome(cause, this.#parts.log, call.envelope), call.callClass, id, more);
    }
  }

  /** Gives the first call's recorded result; waits for it while it runs. */
  async #repeat(reservation: Reservation, first: Operation): Promise<Finished> {
    const { ledger, nowMs } = this.#parts;
    const deadline = nowMs() + Math.min(reservation.envelope.deadline_ms, CALL_MS_MAX);
    const { body } = await (this.#running.get(first.dispatchId)?.done ?? this.#follow(first.dispatchId, deadline));
    const settled = ledger.find(first.dispatchId);
    const id = reservation.envelope.dispatch_id;
    if (!settled || settled.state === 'running') {
      throw new OutcomeError(
        'idempotency_in_flight',
        'The call that this key belongs to still runs. Nothing was started.',
        {
          delivery: 'unknown',
          next: `Look it up with herdr_call herdr_mcp.dispatch.status and dispatch_id ${first.dispatchId}.`,
          details: { first_dispatch_id: first.dispatchId },
        },
      );
    }
    const marked = markReplayed(body, first.dispatchId);
    ledger.recordRepeat(reservation, settled, marked, nowMs());
    const outcome: Outcome = {
      ok: settled.ok === true,
      code: settled.code,
      delivery: asDelivery(settled.delivery),
      body: marked,
      sessionId: settled.sessionId,
    };
    return finish(id, outcome, { replayed: true });
  }

  /** The recorded result of a dispatch; waits for a live process that still runs it, and judges what a dead one left. */
  async #follow(dispatchId: string, deadlineAtMs: number): Promise<Finished> {
    const { ledger, boots, nowMs } = this.#parts;
    for (;;) {
      const operation = ledger.find(dispatchId);
      if (!operation) throw lost(dispatchId);
      if (operation.state !== 'running') {
        const body = ledger.body(dispatchId);
        if (!body) throw lost(dispatchId);
        const outcome: Outcome = {
          ok: operation.ok === true,
          code: operation.code,
          delivery: asDelivery(operation.delivery),
          body,
          sessionId: operation.sessionId,
        };
        return finish(dispatchId, outcome, { replayed: true });
      }
      if (!boots.isAlive(operation.bootId)) await this.interrupt(operation);
      else if (nowMs() >= deadlineAtMs) throw stillRunning(operation);
      else await new Promise((resolve) => setTimeout(resolve, FOLLOW_POLL_MS));
    }
  }

  /** Settles what a dead process left open, with what can still be seen. */
  async interrupt(operation: Operation): Promise<void> {
    const { ledger, nowMs } = this.#parts;
    const outcome = failed(
      interruptedOutcome(operation, await gatherEvidence(operation)),
      'write',
      operation.dispatchId,
    );
    ledger.settle(operation.dispatchId, outcome, nowMs());
  }

  /** At start: everything that dead processes left open. Returns how many there were. */
  async recover(): Promise<number> {
    const left = this.#parts.ledger.open().filter((operation) => !this.#parts.boots.isAlive(operation.bootId));
    for (const operation of left) await this.interrupt(operation);
    return left.length;
  }

  /** Asks a running call to stop. False when it is not running here: nothing was stopped. */
  cancel(dispatchId: string): boolean {
    const running = this.#running.get(dispatchId);
    if (!running || running.abort.signal.aborted) return false;
    running.abort.abort();
    return true;
  }

  /** Everything that the link may still want: running, or finished and not acknowledged. */
  held(): HeldDispatch[] {
    const held = new Map<string, HeldDispatch>();
    for (const operation of this.#parts.ledger.unacknowledged()) {
      const state = operation.state === 'running' ? 'running' : 'finished';
      held.set(operation.dispatchId, { dispatch_id: operation.dispatchId, state, class: 'write' });
    }
    for (const id of this.#reads.ids(this.#parts.nowMs()))
      held.set(id, { dispatch_id: id, state: 'finished', class: 'read' });
    for (const [id, { callClass, door }] of this.#running) {
      if (door === 'link') held.set(id, { dispatch_id: id, state: 'running', class: callClass });
    }
    return [...held.values()];
  }

  /** The result of a held dispatch, once it has finished; undefined when it is not held. */
  result(dispatchId: string): Promise<Finished | undefined> {
    const running = this.#running.get(dispatchId);
    if (running) return running.done;
    const kept = this.#reads.get(dispatchId, this.#parts.nowMs());
    if (kept) return Promise.resolve(kept);
    if (!this.#parts.ledger.find(dispatchId)) return Promise.resolve(undefined);
    return this.#follow(dispatchId, this.#parts.nowMs() + CALL_MS_MAX).catch((error: unknown) => {
      if (error instanceof OutcomeError) return undefined;
      throw error;
    });
  }

  /** Whether a dispatch runs here and of which class it is: reads are known nowhere else. */
  running(dispatchId: string): CallClass | undefined {
    return this.#running.get(dispatchId)?.callClass;
  }

  acknowledge(dispatchIds: readonly string[]): void {
    for (const id of dispatchIds) this.#reads.forget(id);
    this.#parts.ledger.acknowledge(dispatchIds, this.#parts.nowMs());
  }

  get active(): number {
    return this.#running.size;
  }

  /** Housekeeping, called now and then. */
  sweep(): void {
    this.#reads.sweep(this.#parts.nowMs());
  }

  /** No new calls; resolves when those that run have settled. */
  async drain(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done));
  }

  /** Asks everything that runs to stop. */
  cancelAll(): void {
    for (const { abort } of this.#running.values()) abort.abort();
  }
}

function refuseIntent(): never {
  throw new Error('a read does not change files');
}

function asOutcome(error: unknown, log: Log, envelope: CallEnvelope): OutcomeError {
  if (error instanceof OutcomeError) return error;
  log.error(
    { err: error, dispatch_id: envelope.dispatch_id, tool: envelope.tool },
    'a call failed in an unforeseen way',
  );
  return new OutcomeError('internal_error', 'The runtime failed in an unforeseen way; its log has the details.', {
    next: 'Look at the state before anything is repeated; herdr-mcp logs shows what happened.',
    cause: error,
  });
}

function cancelled(callClass: CallClass): OutcomeError {
  return new OutcomeError('cancelled', 'The call was cancelled while it ran.', {
    delivery: callClass === 'read' ? 'delivered' : 'unknown',
    next:
      callClass === 'read' ? 'Nothing was changed.' : 'Look at what it may have changed before anything is repeated.',
  });
}

function keyConflict(first: Operation): OutcomeError {
  return new OutcomeError(
    'idempotency_key_conflict',
    'This idempotency_key belongs to an earlier call with other arguments. Nothing was run.',
    {
      next: 'Use a new key for a new call, or the same arguments to get the first result.',
      details: { first_dispatch_id: first.dispatchId, first_tool: first.tool, first_received_at_ms: first.receivedAt },
    },
  );
}

function stillRunning(operation: Operation): OutcomeError {
  return new OutcomeError('request_timeout', 'The call still runs; it was not started again.', {
    delivery: 'unknown',
    next: `Look it up with herdr_call herdr_mcp.dispatch.status and dispatch_id ${operation.dispatchId}.`,
    details: { generation: operation.generation },
  });
}

function lost(dispatchId: string): OutcomeError {
  return new OutcomeError('dispatch_not_found', `The ledger has no result for ${dispatchId}.`, {
    delivery: 'unknown',
    next: 'Look at the state itself; receipts are kept for 24 hours.',
  });
}

function similarFact(first: Operation, nowMs: number): Record<string, unknown> {
  return { dispatch_id: first.dispatchId, age_ms: nowMs - first.receivedAt, state: first.state, ok: first.ok };
}

function asDelivery(value: string | null): 'not_delivered' | 'delivered' | 'unknown' {
  return value === 'not_delivered' || value === 'delivered' ? value : 'unknown';
}
