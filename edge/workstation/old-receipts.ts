/**
 * Writes that an earlier connection took, that the present link does not list, and that nobody waits for any more. They
 * are never judged from here: the ledger behind the link is asked, and its answer comes as a result like any other.
 */
import { OLD_RECEIPTS_ASKED_MAX } from '../limits.ts';
import { type Connections, type Link, send } from './connections.ts';
import type { Receipts, SentTo } from './receipts.ts';

export interface OldReceiptsContext {
  connections: Connections;
  receipts: Receipts;
  /** Whether somebody waits for this dispatch, or may still come back for it. */
  isUnderWay: (dispatchId: string, nowMs: number) => boolean;
}

export class OldReceipts {
  readonly #in: OldReceiptsContext;
  /** Asked over the connection that serves now, and not answered yet. */
  readonly #asked = new Set<string>();
  #askedOver: string | undefined;
  #waiting: Array<() => void> = [];

  constructor(context: OldReceiptsContext) {
    this.#in = context;
  }

  /** Asks about every one of them that was not asked about over this connection; rows that name no runtime are `unknown`. */
  ask(nowMs: number): void {
    const link = this.#in.connections.active;
    if (!link?.runtime || link.holds === undefined) return;
    if (this.#askedOver !== link.connectionId) this.#asked.clear();
    this.#askedOver = link.connectionId;
    for (const { dispatchId, sentTo } of this.#in.receipts.unsettled()) {
      if (sentTo.connectionId === link.connectionId || link.holds.has(dispatchId)) continue;
      if (this.#asked.has(dispatchId) || this.#in.isUnderWay(dispatchId, nowMs)) continue;
      if (this.#asked.size >= OLD_RECEIPTS_ASKED_MAX) return;
      this.#askOne(link, dispatchId, sentTo, nowMs);
    }
  }

  #askOne(link: Link, dispatchId: string, { runtimeBootId }: SentTo, nowMs: number): void {
    if (runtimeBootId === undefined) {
      this.#in.receipts.settle(dispatchId, { delivery: 'unknown', ok: false, code: 'interrupted', settledAtMs: nowMs });
    } else if (send(link.socket, { kind: 'settle', dispatch_id: dispatchId, runtime_boot_id: runtimeBootId })) {
      this.#asked.add(dispatchId);
    }
  }

  /** Its receipt says now what became of it. */
  settled(dispatchId: string): void {
    if (!this.#asked.delete(dispatchId) || this.#asked.size > 0) return;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Resolves when everything that was asked about is answered, or after `ms`. */
  async answered(ms: number): Promise<void> {
    if (this.#asked.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.#waiting.push(resolve);
    });
    await patience;
    clearTimeout(timer);
  }
}
