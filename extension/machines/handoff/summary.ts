/**
 * The source sums itself up: its model was asked for one packet, which its page is read for. What does not come in time does
 * not come; nobody else writes it, and the source stays as it is. Pure.
 */
import type { Reason } from '../../messages.ts';
import { PREPARE_MS, SUMMARY_AGAIN_MS, SUMMARY_LONGEST_MS, SUMMARY_MS } from './limits.ts';
import { isRequestOf, leftPacket, packetIn, seedOf } from './packet.ts';
import type { HandoffEffect, HandoffEvent, HandoffFacts, Transfer } from './state.ts';

type Summary = { transfer: Transfer; failed: Reason } | { transfer: Transfer; effects?: readonly HandoffEffect[] };
type Given<T extends HandoffEvent['type']> = Extract<HandoffEvent, { type: T }>;

/** The request was sent, or may have been: from now on its answer is waited for. */
export function requested(transfer: Transfer, { as, reason }: Given<'requested'>, facts: HandoffFacts): Summary {
  if (transfer.words !== 'summary' || transfer.requestedAt !== null) return { transfer };
  if (as === 'blocked') return { transfer, failed: reason ?? 'summary_missing' };
  const asked = { ...transfer, requestedAt: facts.now, since: facts.now, askedAt: facts.now };
  return { transfer: asked, effects: read(asked, facts) };
}

/** The source's last turn. Only the answer to our own request is the summary. */
export function summed(transfer: Transfer, { turn }: Given<'summary'>): Summary {
  const { id, sourceUrl, continuityId, spareId } = transfer;
  if (transfer.words === 'packet') {
    const left = turn === null ? null : leftPacket(turn.user, turn.answer);
    if (left === null) return { transfer, failed: 'continuity_unavailable' };
    // One key for one earlier transfer: whoever presses again finds what became of it.
    return { transfer: { ...transfer, handoffId: left.id, message: seedOf({ ...left, sourceUrl, continuityId }) } };
  }
  const packet = turn !== null && isRequestOf(turn.user, id) ? packetIn(turn.answer, id) : null;
  if (packet === null) return { transfer };
  return { transfer: { ...transfer, handoffId: spareId, message: seedOf({ id, packet, sourceUrl, continuityId }) } };
}

/** Time has passed. Null: there is still some. */
export function summaryOverdue(transfer: Transfer, { now, sourceBusy }: HandoffFacts): Summary | null {
  const { phase, words, requestedAt, since, createdAt } = transfer;
  if (phase !== 'summarising' || requestedAt === null) return null;
  if (words === 'packet') return now - since >= PREPARE_MS ? { transfer, failed: 'continuity_unavailable' } : null;
  if (now - since < SUMMARY_MS) return null;
  const writes = sourceBusy === true && now - createdAt < SUMMARY_LONGEST_MS;
  if (!writes) return { transfer, failed: 'summary_missing' };
  return { transfer: { ...transfer, since: now - SUMMARY_MS + SUMMARY_AGAIN_MS, askedAt: now } };
}

/** Its page is read; reading changes nothing. */
export function read({ id, conversation, requestedAt }: Transfer, { sourceTab }: HandoffFacts): HandoffEffect[] {
  if (requestedAt === null || sourceTab === null) return [];
  return [{ type: 'read_summary', transfer: id, tab: sourceTab, conversation }];
}
