/**
 * Every call of this generation goes through here, from both doors, and is decided once: who may, whether it is known
 * already, whether its key is, and only then it runs. Writes stand in the ledger before they act. A call outlives the
 * connection that brought it: only {@link Dispatcher.cancel} stops one.
 */
import type { CallEnvelope } from '../../contract/call.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { type CallClass, OutcomeError } from '../../contract/outcome.ts';
import {
  answered,
  bounded,
  type Finished,
  failed,
  finish,
  type IntendedChange,
  type Outcome,
  refused,
} from './answer.ts';
import { auditEntry } from './audit-trail.ts';
import { argumentsDigest, keyDigest, keyIn } from './digest.ts';
import type { Call, DispatcherParts, Door } from './dispatcher-parts.ts';
import { Fence } from './fence.ts';
import { KeptReads } from './kept-reads.ts';
import type { Operation, Reservation, Reserved } from './ledger.ts';
import { Recorded } from './recorded.ts';
import {
  asOutcome,
  cancelled,
  connectorReadOnly,
  connectorRevoked,
  keyConflict,
  neverArrived,
  notRecorded,
  stopping,
} from './refusals.ts';

interface Running {
  callClass: CallClass;
  door: Door;
  abort: AbortController;
  done: Promise<Finished>;
}

/** One call while it is decided and run. */
interface Attempt {
  envelope: CallEnvelope;
  args: Record<string, unknown>;
  callClass: CallClass;
  door: Door;
  signal: AbortSignal;
  startedAt: number;
}

export interface HeldDispatch {
  dispatch_id: string;
  state: 'running' | 'finished';
  class: CallClass;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #recorded: Recorded;
  readonly #running = new Map<string, Running>();
  /** Results of reads for the link: no ledger has them. */
  readonly #kept = new KeptReads();
  /** Results of writes whose settlement could not be written. */
  readonly #unwritten = new KeptReads();
  readonly #fence = new Fence();
  #stopping = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#recorded = new Recorded(parts);
  }

  /** Runs the call, or joins it, or gives what is recorded. Never rejects: every failure is a finished call. */
  submit(envelope: CallEnvelope, args: Record<string, unknown>, callClass: CallClass, door: Door): Promise<Finished> {
    const id = envelope.dispatch_id;
    const running = this.#running.get(id);
    if (running) return running.done;
    if (this.#fence.isClosed(id)) return Promise.resolve(refused(neverArrived(), envelope));
    const kept = this.#keptHere(id);
    if (kept) return Promise.resolve({ ...kept, envelope: { ...kept.envelope, replayed: true } });
    const abort = new AbortController();
    const attempt: Attempt = { envelope, args, callClass, door, signal: abort.signal, startedAt: performance.now() };
    const done = this.#run(attempt).finally(() => this.#running.delete(id));
    this.#running.set(id, { callClass, door, abort, done });
    return done;
  }

  async #run(attempt: Attempt): Promise<Finished> {
    const { log, trail } = this.#parts;
    const { envelope, callClass } = attempt;
    try {
      this.#admit(attempt);
      return await (callClass === 'read' ? this.#read(attempt) : this.#write(attempt));
    } catch (error) {
      const outcome = failed(asOutcome(error, log, envelope), callClass, envelope.dispatch_id);
      trail.gather(this.#entry(attempt, outcome));
      return this.#finish(attempt, outcome);
    }
  }

  /** What is refused before anything is recorded: nothing ran and nothing will. */
  #admit({ envelope, args, callClass }: Attempt): void {
    const { principal } = envelope;
    if (principal.kind !== 'local' && this.#parts.revocations.isRevoked(principal.id)) throw connectorRevoked();
    if (callClass === 'write' && principal.read_only) throw connectorReadOnly();
    if (this.#stopping) throw stopping();
    this.#parts.check(envelope, args);
  }

  async #read(attempt: Attempt): Promise<Finished> {
    const outcome = await this.#perform(attempt, () => {
      throw new Error('a read does not change files');
    });
    const finished = this.#finish(attempt, outcome);
    if (attempt.door === 'link') this.#kept.keep(finished, this.#parts.nowMs());
    this.#parts.trail.gather(this.#entry(attempt, outcome));
    return finished;
  }

  async #write(attempt: Attempt): Promise<Finished> {
    const { ledger } = this.#parts;
    const { envelope } = attempt;
    const reservation = this.#reservation(attempt);
    const reserved = this.#reserve(reservation);
    if (reserved.kind === 'known') return this.#recorded.follow(envelope.dispatch_id);
    if (reserved.kind === 'conflict') throw keyConflict(reserved.operation);
    if (reserved.kind === 'repeat') {
      return await this.#repeat(attempt, reservation, reserved.operation);
    }
    const more = reserved.similar ? { similar_dispatch: similarFact(reserved.similar, this.#parts.nowMs()) } : {};
    const intend = (changes: readonly IntendedChange[]) => ledger.intend(envelope.dispatch_id, JSON.stringify(changes));
    const outcome = await this.#perform(attempt, intend, more);
    const finished = this.#finish(attempt, outcome);
    this.#settle(attempt, outcome, finished);
    return finished;
  }

  /** A call that gives an earlier one's result is a call too: it stands in the trail under its own id. */
  async #repeat(attempt: Attempt, reservation: Reservation, first: Operation): Promise<Finished> {
    const finished = await this.#recorded.repeat(reservation, first, patience(attempt.envelope));
    const { ok, code = null, delivery } = finished.envelope;
    this.#parts.trail.gather(this.#entry(attempt, { ok, code, delivery }));
    return finished;
  }

  #reservation({ envelope, args, door }: Attempt): Reservation {
    const key = keyIn(envelope.tool, args);
    return {
      envelope,
      args,
      argsDigest: argumentsDigest(envelope.tool, args),
      keyDigest: key === undefined ? null : keyDigest(envelope.principal, key),
      acknowledged: door !== 'link',
    };
  }

  #reserve(reservation: Reservation): Reserved {
    try {
      return this.#parts.ledger.reserve(reservation, this.#parts.nowMs(), this.#parts.isSessionRunning);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'the ledger could not be written');
      throw notRecorded(error);
    }
  }

  /** What happened, happened: a settlement that cannot be written leaves the call open in the ledger and is told here. */
  #settle(attempt: Attempt, outcome: Outcome, finished: Finished): void {
    const { ledger, trail, log, nowMs } = this.#parts;
    const id = attempt.envelope.dispatch_id;
    try {
      ledger.settle(id, outcome, nowMs(), () => trail.write(this.#entry(attempt, outcome)));
    } catch (error) {
      log.error({ err: error, dispatch_id: id }, 'a call ran, but its settlement could not be written');
      if (attempt.door === 'link') this.#unwritten.keep(finished, nowMs());
    }
  }

  #keptHere(id: string): Finished | undefined {
    const nowMs = this.#parts.nowMs();
    return this.#kept.get(id, nowMs) ?? this.#unwritten.get(id, nowMs);
  }

  async #perform(attempt: Attempt, intend: Call['intend'], more: Record<string, unknown> = {}): Promise<Outcome> {
    const { envelope, door, args, callClass, signal } = attempt;
    const id = envelope.dispatch_id;
    const deadlineAtMs = this.#parts.nowMs() + patience(envelope);
    try {
      const answer = await this.#parts.perform({ envelope, door, args, callClass, signal, deadlineAtMs, intend });
      return bounded(answered(answer, more), callClass, id);
    } catch (error) {
      const cause = signal.aborted && !(error instanceof OutcomeError) ? cancelled(callClass) : error;
      return failed(asOutcome(cause, this.#parts.log, envelope), callClass, id, more);
    }
  }

  #finish({ envelope, startedAt }: Attempt, outcome: Outcome): Finished {
    return finish(envelope.dispatch_id, outcome, { runtimeMs: performance.now() - startedAt });
  }

  #entry({ envelope, args, startedAt }: Attempt, outcome: Pick<Outcome, 'ok' | 'code' | 'delivery'>) {
    return auditEntry(envelope, args, outcome, this.#parts.nowMs(), performance.now() - startedAt);
  }

  /** Settles everything that dead processes left open. Returns how many there were. */
  recover(): Promise<number> {
    return this.#recorded.recover();
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
    const nowMs = this.#parts.nowMs();
    for (const id of [...this.#kept.ids(nowMs), ...this.#unwritten.ids(nowMs)]) {
      held.set(id, { dispatch_id: id, state: 'finished', class: held.get(id)?.class ?? 'read' });
    }
    for (const [id, { callClass, door }] of this.#running) {
      if (door === 'link') held.set(id, { dispatch_id: id, state: 'running', class: callClass });
    }
    return [...held.values()];
  }

  /** The result of a held dispatch, once it has finished; undefined when it is not held. */
  async result(dispatchId: string): Promise<Finished | undefined> {
    const running = this.#running.get(dispatchId);
    if (running) return running.done;
    return this.#keptHere(dispatchId) ?? this.#recorded.find(dispatchId);
  }

  /**
   * What became of a write that was sent while `bootId` served: its result, or that it never arrived; from then on it
   * cannot. `foreign`: this ledger never knew that process. `elsewhere`: another process lives that may still have it.
   */
  async settle(dispatchId: string, bootId: string): Promise<Finished | 'foreign' | 'elsewhere'> {
    const held = await this.result(dispatchId);
    if (held) return held;
    if (this.#running.has(dispatchId) || this.#parts.ledger.find(dispatchId)) return 'elsewhere';
    const standing = this.#parts.boots.standing(bootId);
    if (standing === 'unknown') return 'foreign';
    if (standing === 'alive') return 'elsewhere';
    this.#fence.close(dispatchId, this.#parts.nowMs());
    return refused(neverArrived(), { dispatch_id: dispatchId, class: 'write' });
  }

  /** Which class of call runs here under this id: reads are known nowhere else. */
  running(dispatchId: string): CallClass | undefined {
    return this.#running.get(dispatchId)?.callClass;
  }

  acknowledge(dispatchIds: readonly string[]): void {
    // A read never stood in the ledger, and every call is acknowledged.
    const others = dispatchIds.filter((id) => !this.#kept.forget(id));
    for (const id of others) this.#unwritten.forget(id);
    if (others.length > 0) this.#parts.ledger.acknowledge(others, this.#parts.nowMs());
  }

  get active(): number {
    return this.#running.size;
  }

  /** Housekeeping, called now and then. */
  sweep(): void {
    this.#kept.sweep(this.#parts.nowMs());
    this.#unwritten.sweep(this.#parts.nowMs());
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

/** How long the caller waits for this call, in ms from now. */
const patience = (envelope: CallEnvelope): number => Math.min(envelope.deadline_ms, CALL_MS_MAX);

function similarFact(first: Operation, nowMs: number): Record<string, unknown> {
  const { dispatchId, receivedAt, state, ok } = first;
  return { dispatch_id: dispatchId, age_ms: nowMs - receivedAt, state, ...(ok === null ? {} : { call_ok: ok }) };
}
