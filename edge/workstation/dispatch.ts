/**
 * A call's life inside the object: admit, record, send, await, settle.
 *
 * Decided here: when a call may be sent, what is written down before and after, who is told what. Not decided here: which
 * socket serves (connections), what a broken way means (decide), the words (failures).
 */
import { dispatchTimeMs } from '../../contract/ids.ts';
import { CALL_MS_MAX } from '../../contract/limits.ts';
import type { Failure } from '../../contract/outcome.ts';
import { PENDING_CALLS_MAX } from '../limits.ts';
import { type Link, send, sendBytes, sentOver } from './connections.ts';
import { Deadlines } from './deadlines.ts';
import { judgeMissing } from './decide.ts';
import type { DispatchContext } from './dispatch-context.ts';
import * as told from './failures.ts';
import { frameFor } from './frame-for.ts';
import { Intake } from './intake.ts';
import { OldReceipts } from './old-receipts.ts';
import { forLink, forRuntime, type Patience } from './patience.ts';
import { PendingCall, PendingCalls } from './pending.ts';
import type { CallInput, CallReply } from './types.ts';

export class Dispatch {
  readonly #in: DispatchContext;
  readonly #pending = new PendingCalls();
  readonly intake: Intake;
  /** Writes in doubt that nobody waits for. */
  readonly old: OldReceipts;
  readonly #deadlines = new Deadlines((nowMs) => this.#expireDue(nowMs));

  constructor(context: DispatchContext) {
    this.#in = context;
    const { connections, receipts } = context;
    const isUnderWay = (id: string, nowMs: number) => !!this.#pending.get(id) || this.#mayAttach(id, nowMs);
    this.old = new OldReceipts({ connections, receipts, isUnderWay });
    this.intake = new Intake({
      pending: this.#pending,
      receipts,
      settled: (dispatchId) => this.old.settled(dispatchId),
      acknowledge: (dispatch_ids) => {
        const link = connections.active;
        if (link) send(link.socket, { kind: 'ack', dispatch_ids });
        if (this.#pending.size === 0) this.#deadlines.disarm();
      },
      mayAttach: (dispatchId, nowMs) => this.#mayAttach(dispatchId, nowMs),
    });
  }

  /** How many calls are under way, and when the oldest of them came. */
  get active(): { count: number; oldestMs: number | undefined } {
    return { count: this.#pending.size, oldestMs: this.#pending.oldestMs() };
  }

  /** Takes a call in, or joins the one that is already here under its id, and resolves with what became of it. */
  call(input: CallInput): Promise<CallReply> {
    const id = input.call.dispatch_id;
    const known = this.#pending.get(id);
    if (known) return known.join();
    const nowMs = Date.now();
    const pending = new PendingCall(input, nowMs);
    const arrived = this.intake.claim(pending);
    if (arrived) return Promise.resolve(arrived);
    if (this.#pending.size >= PENDING_CALLS_MAX) return refused(told.queueFull(pending.context, PENDING_CALLS_MAX));
    const lost = this.#recall(pending);
    if (lost) return refused(lost);
    this.#pending.add(pending);
    const reply = pending.join();
    this.#deadlines.arm(pending.deadlineAtMs, nowMs);
    this.#advance(pending, nowMs);
    return reply;
  }

  /** What the receipt says of a call that an earlier instance may have sent; a failure when nothing more will come. */
  #recall(pending: PendingCall): Failure | undefined {
    if (pending.callClass === 'read') return undefined;
    const sent = this.#in.receipts.find(pending.id);
    if (!sent) return undefined;
    if (sent.settled !== null && sent.settled !== 'not_delivered') {
      return told.resultLost(pending.context, sent.settled, sent.code);
    }
    pending.recorded = true;
    if (sent.settled === 'not_delivered') return undefined;
    pending.sentTo = sent;
    pending.sends = 1;
    pending.accepted = undefined;
    return undefined;
  }

  /** Moves a call on as far as it goes now: send it, wait for a link, wait for its result, or give up. */
  #advance(pending: PendingCall, nowMs: number): void {
    const { link, lastSeenAtMs } = this.#in.connections.heard(nowMs);
    if (!link) {
      const active = this.#in.connections.active;
      if (active) this.#in.connections.drop(active, 1001, 'silent for too long');
      if (pending.sentTo !== undefined) return;
      const seenAtMs = lastSeenAtMs ?? this.#in.lastSeenAtMs();
      this.#wait(pending, forLink(seenAtMs, pending.deadlineAtMs, nowMs), nowMs);
      return;
    }
    if (pending.sentTo === undefined) {
      this.#send(pending, link, nowMs);
      return;
    }
    if (pending.sentTo.connectionId === link.connectionId) return;
    if (link.holds === undefined) {
      // Restarted since this link's hello, so nobody here knows what it holds: a new hello tells. Reads just go again.
      if (pending.callClass === 'read') this.#send(pending, link, nowMs);
      else this.#in.connections.drop(link, 1012, 'edge restarted; say hello again');
      return;
    }
    this.#reconcile(pending, link, nowMs);
  }

  /** The link is back with a list of what it holds; this call was sent over an earlier connection. */
  #reconcile(pending: PendingCall, link: Link, nowMs: number): void {
    if (link.holds?.has(pending.id)) return;
    const verdict = judgeMissing({
      callClass: pending.callClass,
      sameBoot: pending.sentTo?.bootId === link.bootId,
      sameRuntime: link.runtime !== undefined && pending.sentTo?.runtimeBootId === link.runtime.boot_id,
      accepted: pending.accepted,
      runtimeKnown: link.runtime !== undefined,
      sends: pending.sends,
    });
    if (verdict === 'send') this.#send(pending, link, nowMs);
    else if (verdict === 'unknown' || (verdict === 'ask' && !this.#ask(pending, link))) {
      const settlement = { delivery: 'unknown', ok: false, code: 'interrupted', settledAtMs: nowMs } as const;
      if (pending.recorded) this.#in.receipts.settle(pending.id, settlement);
      this.#end(pending, told.interrupted(pending.context));
    }
  }

  /** Asks the ledger behind this link, whose answer comes as a result. False when nobody knows which ledger that was. */
  #ask(pending: PendingCall, link: Link): boolean {
    const { runtimeBootId } = pending.sentTo ?? {};
    if (runtimeBootId === undefined) return false;
    send(link.socket, { kind: 'settle', dispatch_id: pending.id, runtime_boot_id: runtimeBootId });
    // Over the next connection it is asked again, never sent: what the ledger has said by then is not to be outrun.
    pending.sentTo = { connectionId: link.connectionId, bootId: link.bootId, runtimeBootId };
    pending.accepted = true;
    return true;
  }

  #wait(pending: PendingCall, { endMs, failure }: Patience, nowMs: number): void {
    clearTimeout(pending.graceTimer);
    pending.unsent = failure(pending.context);
    const over = () => this.#expire(pending);
    if (endMs <= nowMs) over();
    else pending.graceTimer = setTimeout(over, endMs - nowMs);
  }

  #send(pending: PendingCall, link: Link, nowMs: number): void {
    if (!link.runtime || link.draining) {
      // What may have arrived before is not called undelivered: it waits for the next hello, or for its deadline.
      if (pending.sentTo === undefined) this.#wait(pending, forRuntime(link, pending.deadlineAtMs, nowMs), nowMs);
      return;
    }
    const ready = frameFor(pending, link.runtime, nowMs);
    if (!ready.ok) {
      this.#end(pending, ready.failure);
      return;
    }
    if (pending.callClass === 'write') this.#record(pending, link, nowMs);
    if (pending.graceTimer !== undefined) clearTimeout(pending.graceTimer);
    if (!sendBytes(link.socket, ready.frame)) {
      // The socket took nothing, so nothing was handed over; the close event is on its way.
      this.#in.connections.drop(link, 1001, 'gone');
      pending.sentTo = undefined;
      this.#wait(pending, forLink(nowMs, pending.deadlineAtMs, nowMs), nowMs);
      return;
    }
    pending.sentTo = sentOver(link);
    pending.sentAtMs = nowMs;
    pending.accepted = false;
    pending.sends += 1;
  }

  #record(pending: PendingCall, link: Link, nowMs: number): void {
    if (pending.recorded) {
      this.#in.receipts.resent(pending.id, sentOver(link));
      return;
    }
    this.#in.receipts.insert({
      dispatchId: pending.id,
      tool: pending.call.tool,
      principalId: pending.call.principal.id,
      keyDigest: pending.keyDigest,
      argsDigest: pending.argsDigest,
      runtimeBootId: undefined,
      ...sentOver(link),
      sentAtMs: nowMs,
    });
    pending.recorded = true;
    this.#in.receiptWritten();
  }

  /** A link said hello: everything that waits for one goes on. Returns what the welcome has to say about its list. */
  welcome(link: Link, nowMs: number): { awaited: string[]; settled: string[]; missing: string[] } {
    const awaited: string[] = [];
    const missing: string[] = [];
    for (const pending of [...this.#pending]) {
      if (pending.sentTo === undefined || pending.sentTo.connectionId === link.connectionId) continue;
      (link.holds?.has(pending.id) ? awaited : missing).push(pending.id);
    }
    const settled: string[] = [];
    for (const id of link.holds ?? []) {
      if (this.#pending.get(id) || this.#mayAttach(id, nowMs)) continue;
      const receipt = this.#in.receipts.find(id);
      if (!receipt || receipt.settled === 'delivered') settled.push(id);
    }
    return { awaited, settled, missing };
  }

  /** After the welcome: sends what waited for a link, judges what the link does not have, asks about old receipts. */
  resume(nowMs: number): void {
    for (const pending of [...this.#pending]) this.#advance(pending, nowMs);
    this.old.ask(nowMs);
  }

  /** Whether a Worker may still come back for a dispatch that an earlier instance had. */
  #mayAttach(dispatchId: string, nowMs: number): boolean {
    const madeAtMs = dispatchTimeMs(dispatchId);
    return madeAtMs <= this.#in.bornAtMs && nowMs - madeAtMs < CALL_MS_MAX;
  }

  accepted(dispatchId: string): void {
    const pending = this.#pending.get(dispatchId);
    if (pending) pending.accepted = true;
  }

  /** The link could not use our frame: this call alone is over. */
  refusedByLink(dispatchId: string): void {
    const pending = this.#pending.get(dispatchId);
    if (pending) this.#end(pending, told.uncertain(pending.context));
  }

  #expireDue(nowMs: number): number | undefined {
    let nextMs: number | undefined;
    for (const pending of [...this.#pending]) {
      if (pending.deadlineAtMs <= nowMs) this.#expire(pending);
      else nextMs = Math.min(nextMs ?? pending.deadlineAtMs, pending.deadlineAtMs);
    }
    return nextMs;
  }

  #expire(pending: PendingCall): void {
    const sent = pending.sentTo !== undefined;
    if (sent && pending.callClass === 'read') this.#tellToStop(pending.id, 'nobody waits any more');
    this.#end(pending, (sent ? undefined : pending.unsent) ?? told.timedOut(pending.context, sent));
  }

  /** The caller is gone. A read is stopped; a write goes on, and its outcome stays readable. */
  cancel(dispatchId: string, asked: boolean): void {
    const pending = this.#pending.get(dispatchId);
    if (!pending || (pending.callClass === 'write' && !asked && pending.sentTo !== undefined)) return;
    const sent = pending.sentTo !== undefined;
    if (sent) this.#tellToStop(dispatchId, 'the caller went away');
    if (pending.callClass === 'read' || !sent) this.#end(pending, told.cancelled(pending.context, sent));
  }

  #tellToStop(dispatch_id: string, reason: string): void {
    const link = this.#in.connections.active;
    if (link) send(link.socket, { kind: 'cancel', dispatch_id, reason });
  }

  /**
   * The device is revoked or suspended: what was not sent is refused, what was sent cannot be heard of now. Of a
   * suspended one the result may still come when it is restored; the receipt then says better.
   */
  failAll(why: 'device_revoked' | 'device_suspended', nowMs: number): void {
    const failure = why === 'device_revoked' ? told.deviceRevoked : told.deviceSuspended;
    this.endUnsent(({ context }) => ({ kind: 'failure', failure: failure(context) }));
    for (const pending of [...this.#pending]) {
      const settlement = { delivery: 'unknown', ok: false, code: why, settledAtMs: nowMs } as const;
      if (pending.recorded) this.#in.receipts.settle(pending.id, settlement);
      this.#end(pending, told.cutOff(pending.context, why));
    }
  }

  /** Ends every call that no link has got yet, or every such call of one principal. */
  endUnsent(reply: (pending: PendingCall) => CallReply, principalId?: string): void {
    this.#pending.endUnsent(reply, principalId);
    if (this.#pending.size === 0) this.#deadlines.disarm();
  }

  /** Whether this dispatch was taken in before: a Worker that comes back for it asks for no new call. */
  knows(dispatchId: string): boolean {
    return this.#pending.get(dispatchId) !== undefined || this.#in.receipts.find(dispatchId) !== undefined;
  }

  #end(pending: PendingCall, failure: Failure): void {
    this.#pending.end(pending, { kind: 'failure', failure });
    if (this.#pending.size === 0) this.#deadlines.disarm();
  }
}

function refused(failure: Failure): Promise<CallReply> {
  return Promise.resolve({ kind: 'failure', failure });
}
