/** Calls under way, in memory: their callers hold the object awake, so nothing here needs to outlive it. */
import type { CallEnvelope, ResultEnvelope } from '../../contract/call.ts';
import { ResultAssembly } from '../../contract/link/index.ts';
import type { CallClass, Failure } from '../../contract/outcome.ts';
import type { SentTo } from './receipts.ts';
import type { CallInput, CallReply } from './types.ts';

/** One call, from its arrival until its result, its failure or its deadline; whichever comes first settles it. */
export class PendingCall {
  readonly call: Omit<CallEnvelope, 'contract_epoch' | 'deadline_ms'>;
  readonly args: Uint8Array;
  readonly deadlineAtMs: number;
  readonly argsDigest: string;
  readonly keyDigest: string | undefined;
  readonly startedAtMs: number;
  /** Over which connection, to which processes it was last sent; absent while it was not. */
  sentTo: SentTo | undefined;
  sentAtMs = 0;
  sends = 0;
  /** The receipt exists. */
  recorded = false;
  /** The link said that it has it. `undefined` when this object did not send it itself. */
  accepted: boolean | undefined = false;
  assembly: ResultAssembly | undefined;
  /** Why it was not sent so far, to be told when the time to wait is over. */
  unsent: Failure | undefined;
  graceTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #callers: Array<(reply: CallReply) => void> = [];

  constructor(input: CallInput, nowMs: number) {
    this.call = input.call;
    this.args = input.args;
    this.deadlineAtMs = input.deadlineAtMs;
    this.argsDigest = input.argsDigest ?? '';
    this.keyDigest = input.keyDigest;
    this.startedAtMs = nowMs;
  }

  get id(): string {
    return this.call.dispatch_id;
  }

  get callClass(): CallClass {
    return this.call.class;
  }

  get context(): { dispatchId: string; callClass: CallClass } {
    return { dispatchId: this.id, callClass: this.callClass };
  }

  /** Another caller of the same dispatch: the Worker that attached again. */
  join(): Promise<CallReply> {
    return new Promise((resolve) => {
      this.#callers.push(resolve);
    });
  }

  answer(reply: CallReply): void {
    if (this.graceTimer !== undefined) clearTimeout(this.graceTimer);
    for (const resolve of this.#callers.splice(0)) resolve(reply);
  }

  /** Where the chunks of its result come together. A link that sends them anew after a cut goes on with the same ones. */
  assemble(envelope: ResultEnvelope): ResultAssembly {
    if (this.assembly?.envelope.size !== envelope.size) this.assembly = new ResultAssembly(envelope);
    return this.assembly;
  }
}

/** The bookkeeping of {@link PendingCall}s, bounded by who adds to it. */
export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>();

  get size(): number {
    return this.#calls.size;
  }

  get(dispatchId: string): PendingCall | undefined {
    return this.#calls.get(dispatchId);
  }

  add(call: PendingCall): void {
    this.#calls.set(call.id, call);
  }

  /** The call is over: forgets it and tells everybody who waits. */
  end(call: PendingCall, reply: CallReply): void {
    this.#calls.delete(call.id);
    call.assembly = undefined;
    call.answer(reply);
  }

  /** Ends every call that was not sent yet, or every such call of one principal. */
  endUnsent(reply: (call: PendingCall) => CallReply, principalId?: string): void {
    for (const call of [...this.#calls.values()]) {
      const concerned = principalId === undefined || call.call.principal.id === principalId;
      if (concerned && call.sentTo === undefined) this.end(call, reply(call));
    }
  }

  /** Memory that results under way have claimed, in bytes. */
  assemblingBytes(): number {
    let bytes = 0;
    for (const call of this.#calls.values()) bytes += call.assembly?.envelope.size ?? 0;
    return bytes;
  }

  [Symbol.iterator](): IterableIterator<PendingCall> {
    return this.#calls.values();
  }

  /** When the oldest of them arrived. */
  oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const call of this.#calls.values()) oldest = Math.min(oldest ?? call.startedAtMs, call.startedAtMs);
    return oldest;
  }
}
