/**
 * Results that are in the ledger, or will be: waiting for a live process that still runs a call, and judging what a dead
 * one left open.
 */
import { CALL_MS_MAX } from '../../contract/limits.ts';
import { type Delivery, OutcomeError } from '../../contract/outcome.ts';
import { FOLLOW_POLL_MS } from '../limits.ts';
import { answered, type Finished, failed, finish, markReplayed, type Outcome } from './answer.ts';
import { type AuditTrail, interruptedEntry } from './audit-trail.ts';
import type { Boots } from './boots.ts';
import { gatherEvidence, interruptedCommand, interruptedOutcome, judge, type StartedCommand } from './interrupted.ts';
import type { Ledger, Operation, Reservation } from './ledger.ts';
import { keyInFlight, resultLost, stillRunning } from './refusals.ts';

/** The answer that a call committed into the database, `nothing` when it committed none, undefined when it never does. */
export type Written = (operation: Operation) => Record<string, unknown> | 'nothing' | undefined;

export interface RecordedParts {
  ledger: Ledger;
  boots: Boots;
  written: Written;
  startedCommand: (dispatchId: string) => StartedCommand | undefined;
  settleFiles: (dispatchId: string) => void;
  trail: AuditTrail;
  nowMs: () => number;
}

export class Recorded {
  readonly #ledger: Ledger;
  readonly #boots: Boots;
  readonly #written: Written;
  readonly #startedCommand: RecordedParts['startedCommand'];
  readonly #settleFiles: RecordedParts['settleFiles'];
  readonly #trail: AuditTrail;
  readonly #nowMs: () => number;

  constructor({ ledger, boots, written, startedCommand, settleFiles, trail, nowMs }: RecordedParts) {
    this.#ledger = ledger;
    this.#boots = boots;
    this.#written = written;
    this.#startedCommand = startedCommand;
    this.#settleFiles = settleFiles;
    this.#trail = trail;
    this.#nowMs = nowMs;
  }

  /** The recorded result of a dispatch, waiting for it as long as `patienceMs`. Throws an {@link OutcomeError}. */
  async follow(dispatchId: string, patienceMs = CALL_MS_MAX): Promise<Finished> {
    const deadlineAtMs = this.#nowMs() + patienceMs;
    for (;;) {
      const operation = this.#ledger.find(dispatchId);
      if (!operation) throw resultLost(dispatchId);
      if (operation.state !== 'running') {
        return finish(dispatchId, this.#outcome(operation), { replayed: true });
      }
      if (!this.#boots.isAlive(operation.bootId)) await this.#interrupt(operation);
      else if (this.#nowMs() >= deadlineAtMs) throw stillRunning(operation);
      else await new Promise((resolve) => setTimeout(resolve, FOLLOW_POLL_MS));
    }
  }

  /** The same, but undefined where there is none to give. */
  async find(dispatchId: string): Promise<Finished | undefined> {
    if (!this.#ledger.find(dispatchId)) return undefined;
    try {
      return await this.follow(dispatchId);
    } catch (error) {
      if (error instanceof OutcomeError) return undefined;
      throw error;
    }
  }

  /** Gives the first call's result under another dispatch id, once it is there, and writes down that it did. */
  async repeat(reservation: Reservation, first: Operation, patienceMs: number): Promise<Finished> {
    const { body } = await this.follow(first.dispatchId, patienceMs).catch((error: unknown) => {
      throw error instanceof OutcomeError && error.code === 'request_timeout' ? keyInFlight(first) : error;
    });
    const settled = this.#ledger.find(first.dispatchId);
    if (!settled) throw resultLost(first.dispatchId);
    const marked = markReplayed(body, first.dispatchId);
    this.#ledger.recordRepeat(reservation, settled, marked, this.#nowMs());
    return finish(reservation.envelope.dispatch_id, { ...this.#outcome(settled), body: marked }, { replayed: true });
  }

  /** Settles everything that dead processes left open: at start, and before one is told to run. Returns how many there were. */
  async recover(): Promise<number> {
    const left = this.#ledger.open().filter((operation) => !this.#boots.isAlive(operation.bootId));
    for (const operation of left) await this.#interrupt(operation);
    return left.length;
  }

  async #interrupt(operation: Operation): Promise<void> {
    const outcome = await this.#judge(operation);
    const nowMs = this.#nowMs();
    this.#ledger.settle(operation.dispatchId, outcome, nowMs, () =>
      this.#trail.write(interruptedEntry(operation, outcome, nowMs)),
    );
  }

  /** A call that committed its answer together with its effect is not in doubt: it ran, or it did not. */
  async #judge(operation: Operation): Promise<Outcome> {
    const { dispatchId, method } = operation;
    const written = this.#written(operation);
    if (typeof written === 'object') return answered({ ok: true, body: { method, ...written } });
    const command = this.#startedCommand(dispatchId);
    if (command) {
      const outcome = failed(interruptedCommand(operation, command), 'write', dispatchId);
      return { ...outcome, sessionId: command.id };
    }
    this.#settleFiles(dispatchId);
    const evidence = written === 'nothing' ? [] : await gatherEvidence(operation);
    const delivery = written === 'nothing' ? 'not_delivered' : judge(evidence);
    return failed(interruptedOutcome(operation, evidence, delivery), 'write', dispatchId);
  }

  #outcome(operation: Operation): Outcome {
    const body = this.#ledger.body(operation.dispatchId);
    if (!body) throw resultLost(operation.dispatchId);
    return {
      ok: operation.ok === true,
      code: operation.code,
      delivery: asDelivery(operation.delivery),
      body,
      sessionId: operation.sessionId,
    };
  }
}

function asDelivery(value: string | null): Delivery {
  return value === 'not_delivered' || value === 'delivered' ? value : 'unknown';
}
