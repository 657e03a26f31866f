/**
 * The operations ledger: what was dispatched and what became of it. A mutating call is written before it acts and
 * settled after, each in one `BEGIN IMMEDIATE` transaction that survives power loss. Both generations write here.
 */
import { type CallEnvelope, classify, type Principal } from '../../contract/call.ts';
import { RECEIPT_TTL_MS } from '../../contract/limits.ts';
import type { Delivery } from '../../contract/outcome.ts';
import { KEY_ENDS_MS } from '../limits.ts';
import type { operations, State } from '../state/index.ts';
import { keyDigest as digestOfKey, keyIn } from './digest.ts';
import { prepareLedger } from './statements.ts';
import { targetOf } from './target.ts';

export type Operation = typeof operations.$inferSelect;

/** Who writes: every row names the process that may still be working on it. */
export interface Boot {
  bootId: string;
  generation: string;
}

export interface Reservation {
  envelope: CallEnvelope;
  args: Record<string, unknown>;
  argsDigest: string;
  keyDigest: string | null;
  /** Calls at the loopback door have no link that would ever acknowledge them. */
  acknowledged: boolean;
}

export type Reserved =
  /** Written; nobody else runs it. `similar` is an earlier equal write of the same principal without a key. */
  | { kind: 'new'; similar: Operation | undefined }
  /** This dispatch id has been here before. */
  | { kind: 'known'; operation: Operation }
  /** The key has been used for the same thing: this is the call that it belongs to. */
  | { kind: 'repeat'; operation: Operation }
  /** The key is bound to another tool or other arguments. */
  | { kind: 'conflict'; operation: Operation };

export interface Settlement {
  ok: boolean;
  code: string | null;
  delivery: Delivery;
  body: Uint8Array;
  sessionId: string | null;
}

export class Ledger {
  readonly #state: State;
  readonly #boot: Boot;
  readonly #sql: ReturnType<typeof prepareLedger>;

  constructor(state: State, boot: Boot) {
    this.#state = state;
    this.#boot = boot;
    this.#sql = prepareLedger(state);
  }

  /** Writes the call down before it acts, or says why it must not act. `isRunning` asks about an exec session. */
  reserve(call: Reservation, nowMs: number, isRunning: (sessionId: string) => boolean): Reserved {
    return this.#state.database
      .transaction((): Reserved => {
        const known = this.find(call.envelope.dispatch_id);
        if (known) return { kind: 'known', operation: known };
        if (call.keyDigest !== null) {
          const bound = this.#sql.byKey.get({ key: call.keyDigest });
          const free = bound && bound.expiresAt <= nowMs && !(bound.sessionId !== null && isRunning(bound.sessionId));
          if (bound && !free) {
            const same = bound.tool === call.envelope.tool && bound.argsDigest === call.argsDigest;
            return { kind: same ? 'repeat' : 'conflict', operation: bound };
          }
          if (bound) this.#sql.releaseKey.run({ id: bound.dispatchId });
        }
        const { principal, tool } = call.envelope;
        const similar =
          call.keyDigest === null
            ? this.#sql.similar.get({
                kind: principal.kind,
                id: principal.id,
                tool,
                digest: call.argsDigest,
                after: nowMs - RECEIPT_TTL_MS,
              })
            : undefined;
        this.#insert(call, nowMs);
        return { kind: 'new', similar };
      })
      .immediate();
  }

  #insert(call: Reservation, nowMs: number): void {
    const { envelope } = call;
    this.#sql.insert.run({
      dispatchId: envelope.dispatch_id,
      principalKind: envelope.principal.kind,
      principalId: envelope.principal.id,
      principalLabel: envelope.principal.label,
      tool: envelope.tool,
      ...targetOf(envelope.tool, call.args),
      deviceId: envelope.device_id,
      callerSession: envelope.caller_session ?? null,
      argsDigest: call.argsDigest,
      keyDigest: call.keyDigest,
      ...this.#boot,
      receivedAt: nowMs,
      acknowledgedAt: call.acknowledged ? nowMs : null,
      expiresAt: nowMs + RECEIPT_TTL_MS,
    });
  }

  /** Writes down which files are about to change, before they do. */
  intend(dispatchId: string, intended: string): void {
    const { changes } = this.#sql.intend.run({ id: dispatchId, intended });
    if (changes !== 1) throw new Error(`dispatch ${dispatchId} is not open in the ledger`);
  }

  /**
   * Settles a call exactly once; a settled row never changes again. A call that certainly did nothing frees its key, so
   * that the corrected call may use it. Returns false when somebody else settled it first.
   */
  settle(dispatchId: string, settlement: Settlement, nowMs: number, also: () => void = () => {}): boolean {
    const { body, ...outcome } = settlement;
    return this.#state.database
      .transaction(() => {
        const { changes } = this.#sql.settle.run({
          id: dispatchId,
          ...outcome,
          ok: outcome.ok ? 1 : 0,
          state: outcome.code === 'interrupted' ? 'interrupted' : 'settled',
          at: nowMs,
        });
        if (changes !== 1) return false;
        if (settlement.delivery === 'not_delivered') this.#sql.releaseKey.run({ id: dispatchId });
        this.#sql.keep.run({ id: dispatchId, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) });
        also();
        return true;
      })
      .immediate();
  }

  /** Writes a call that only returned another one's recorded result, so that its id can be looked up too. */
  recordRepeat(call: Reservation, first: Operation, body: Uint8Array, nowMs: number): void {
    this.#state.database
      .transaction(() => {
        this.#insert({ ...call, keyDigest: null }, nowMs);
        this.#sql.repeat.run({ id: call.envelope.dispatch_id, first: first.dispatchId });
        this.#sql.settle.run({
          id: call.envelope.dispatch_id,
          ok: first.ok ? 1 : 0,
          code: first.code,
          delivery: first.delivery ?? 'unknown',
          sessionId: first.sessionId,
          state: 'settled',
          at: nowMs,
        });
        this.#sql.keep.run({ id: call.envelope.dispatch_id, body: Buffer.from(body) });
      })
      .immediate();
  }

  find(dispatchId: string): Operation | undefined {
    return this.#sql.byId.get({ id: dispatchId });
  }

  /** Whether this call can only be told what became of an earlier one: by its own id, or by a key that stays bound to it. */
  isKnown({ dispatch_id, tool, principal }: CallEnvelope, args: Record<string, unknown>, nowMs: number): boolean {
    if (this.find(dispatch_id)) return true;
    const key = classify(tool, args) === 'write' ? keyIn(tool, args) : undefined;
    const bound = key === undefined ? undefined : this.findByKey(digestOfKey(principal, key));
    return bound !== undefined && bound.expiresAt > nowMs + KEY_ENDS_MS;
  }

  findByKey(keyDigest: string): Operation | undefined {
    return this.#sql.byKey.get({ key: keyDigest });
  }

  /** The call with this key and its result; no result while it runs. */
  recorded(keyDigest: string): { operation: Operation; body: Uint8Array | undefined } | undefined {
    const operation = this.findByKey(keyDigest);
    if (!operation) return undefined;
    return { operation, body: operation.state === 'running' ? undefined : this.body(operation.dispatchId) };
  }

  /** The last writes of one principal, newest first. */
  lastOf(principal: Pick<Principal, 'kind' | 'id'>, count: number): Operation[] {
    return this.#sql.lastOf.all({ kind: principal.kind, id: principal.id, count });
  }

  /** The last writes of everybody, newest first: for the person at the workstation. */
  last(count: number): Operation[] {
    return this.#sql.last.all({ count });
  }

  body(dispatchId: string): Uint8Array | undefined {
    return this.#sql.body.get({ id: dispatchId })?.body;
  }

  /** Calls that no link has acknowledged, with whether they still run. */
  unacknowledged(): Operation[] {
    return this.#sql.unacknowledged.all();
  }

  /** Calls that some process left open. */
  open(): Operation[] {
    return this.#sql.open.all();
  }

  acknowledge(dispatchIds: readonly string[], nowMs: number): void {
    if (dispatchIds.length === 0) return;
    this.#state.database
      .transaction(() => {
        for (const id of dispatchIds) this.#sql.acknowledge.run({ id, at: nowMs });
      })
      .immediate();
  }

  /** Deletes receipts past their time, except those of commands that still run. */
  forget(nowMs: number, isRunning: (sessionId: string) => boolean): number {
    return this.#state.database
      .transaction(() => {
        const due = this.#sql.due
          .all({ now: nowMs })
          .filter((row) => row.sessionId === null || !isRunning(row.sessionId));
        for (const { dispatchId } of due) {
          this.#sql.dropBody.run({ id: dispatchId });
          this.#sql.drop.run({ id: dispatchId });
        }
        return due.length;
      })
      .immediate();
  }
}
