/**
 * One handoff, from its preparation to the proof that the new chat has it. Everything before the proof leaves the source as
 * it is; everything that is repeated is harmless to repeat, because one key is one dispatch. A message that may have
 * arrived is looked for, and given once more only when the target's own server shows that it holds none. Pure.
 */
import { type DispatchView, PROVED_UNDELIVERED } from '../../../contract/browser/dispatch.ts';
import type { Reason } from '../../messages.ts';
import { ASK_AGAIN_MS, CLOCK_STEP_MS, OBSERVE_MS, PREPARE_MS, VERIFY_MS } from './limits.ts';
import { markIn } from './packet.ts';
import type { HandoffEffect, HandoffEvent, HandoffFacts, HandoffStep, Transfer } from './state.ts';
import { read, requested, summaryOverdue, summed } from './summary.ts';

const markOf = (handoffId: string): string => `[HERDR_CONTINUITY_REF id=${handoffId} `;

/** The handoff that a prepared message belongs to; null: it is none. */
export function handoffIn(message: string): { handoffId: string; continuityId: string } | null {
  const found = /^\[HERDR_CONTINUITY_REF id=([A-Za-z0-9._:-]{1,96}) continuity_id=([^\]\s]{1,160})\]/.exec(message);
  return found?.[1] !== undefined && found[2] !== undefined ? { handoffId: found[1], continuityId: found[2] } : null;
}

export function handoff(transfer: Transfer, event: HandoffEvent, facts: HandoffFacts): HandoffStep {
  switch (event.type) {
    case 'prepared':
      return transfer.phase === 'preparing' ? prepared(transfer, event.answer, facts) : same(transfer);
    case 'requested':
      return transfer.phase === 'summarising' ? went(requested(transfer, event, facts), facts) : same(transfer);
    case 'summary':
      return transfer.phase === 'summarising' ? went(summed(transfer, event), facts) : same(transfer);
    case 'delivered':
      return transfer.phase === 'delivering' ? delivered(transfer, event.answer, facts) : same(transfer);
    case 'elsewhere':
      return transfer.phase === 'delivering' ? elsewhere(transfer, event.as) : same(transfer);
    case 'observed':
      return transfer.phase === 'observing' || transfer.phase === 'uncertain'
        ? observed(transfer, event.dispatch, facts)
        : same(transfer);
    case 'verified':
      return transfer.phase === 'verifying' || transfer.phase === 'uncertain'
        ? verified(transfer, event, facts)
        : same(transfer);
    case 'resumed':
      return resumed(transfer, facts);
    case 'look':
      return look(transfer, facts, false);
    case 'restarted':
      return look(transfer, facts, true);
  }
}

/** What its phase asks for, when it begins or is asked again. */
export function asking(transfer: Transfer, facts: HandoffFacts): readonly HandoffEffect[] {
  const { phase, id, dispatch, message, target } = transfer;
  switch (phase) {
    case 'preparing':
      return [{ type: 'prepare', transfer }];
    case 'summarising':
      return read(transfer, facts);
    case 'delivering':
      return [{ type: 'deliver', transfer }];
    case 'observing':
    case 'uncertain':
      return dispatch === null ? [] : [{ type: 'observe', transfer: id, dispatch }];
    case 'verifying': {
      const mark = message === null ? null : markIn(message);
      if (target === null || mark === null || facts.targetTab === null) return [];
      return [{ type: 'verify', transfer: id, tab: facts.targetTab, conversation: target.conversation, mark }];
    }
  }
}

const same = (transfer: Transfer): HandoffStep => ({ transfer, effects: [], ended: null });

function at(transfer: Transfer, phase: Transfer['phase'], facts: HandoffFacts): HandoffStep {
  const next = { ...transfer, phase, reason: null, since: facts.now, askedAt: facts.now };
  return { transfer: next, effects: asking(next, facts), ended: null };
}

const failed = (transfer: Transfer, reason: Reason, copy: boolean): HandoffStep => ({
  transfer,
  effects: [],
  ended: { as: 'failed', reason, copy },
});

const doubted = (transfer: Transfer, reason: Reason, { now }: HandoffFacts): HandoffStep => ({
  transfer: { ...transfer, phase: 'uncertain', reason, since: now, askedAt: now },
  effects: [],
  ended: null,
});

function prepared(
  transfer: Transfer,
  answer: Extract<HandoffEvent, { type: 'prepared' }>['answer'],
  facts: HandoffFacts,
): HandoffStep {
  if (answer === null) return same(transfer);
  if (answer === 'refused') {
    // A person's press may finish an earlier transfer that has left its packet in the source.
    const may = transfer.trigger === 'manual' && transfer.handoffId === null && transfer.site === 'chatgpt';
    if (may) return at({ ...transfer, words: 'packet', requestedAt: facts.now }, 'summarising', facts);
    // Fail closed: nothing was asked of anybody, and the source stays what it is.
    return failed(transfer, 'continuity_unavailable', false);
  }
  const { handoffId, continuityId, message, workChainId } = answer;
  // A message for another chain, or without its own mark, is none of ours.
  const own = message.startsWith(`${markOf(handoffId)}continuity_id=${continuityId}]`);
  const meant = transfer.continuityId === null || transfer.rows.length === 0 || transfer.continuityId === continuityId;
  if (!own || !meant) return failed(transfer, 'continuity_unavailable', false);
  return at({ ...transfer, handoffId, continuityId, message, workChainId }, 'delivering', facts);
}

function delivered(
  transfer: Transfer,
  answer: Extract<HandoffEvent, { type: 'delivered' }>['answer'],
  facts: HandoffFacts,
): HandoffStep {
  switch (answer.kind) {
    case 'unanswered':
      return same(transfer);
    case 'refused':
      // Another act of this account is under way: the same key is asked again in a while.
      return answer.busy ? same(transfer) : failed(transfer, 'not_delivered', true);
    case 'nothing':
      return failed(transfer, 'no_execution_seen', true);
    case 'named':
      return at({ ...transfer, dispatch: answer.dispatch }, 'observing', facts);
    case 'dispatch': {
      const { dispatch, replayed } = answer;
      // The runtime's own id of this chat's handoff was used before this one was begun: it led to another chat.
      // One of a moment before may be ours, by a clock that was put right since; where nothing arrived, nothing is doubled.
      const doubt = PROVED_UNDELIVERED.has(dispatch.delivery_state) ? 0 : CLOCK_STEP_MS;
      const earlier = replayed && dispatch.created_at_ms < transfer.createdAt - doubt;
      if (earlier && transfer.handoffId !== transfer.spareId && !transfer.seededAgain) {
        const own = { ...transfer, handoffId: transfer.spareId };
        if (transfer.words === 'chain') return at({ ...own, message: null }, 'preparing', facts);
        // A packet's key is its own transfer's: what became of that counts, and only what certainly came to nothing begins anew.
        if (PROVED_UNDELIVERED.has(dispatch.delivery_state)) return at(own, 'delivering', facts);
      }
      return observed({ ...transfer, dispatch: dispatch.dispatch_id, phase: 'observing' }, dispatch, facts);
    }
  }
}

/** Held: it is asked again, should the other one's come to nothing. A second message to a chat that is known is ours alone. */
function elsewhere(transfer: Transfer, as: Extract<HandoffEvent, { type: 'elsewhere' }>['as']): HandoffStep {
  if (as === 'held' || transfer.seededAgain) return same(transfer);
  return failed(transfer, as === 'sent' ? 'done_elsewhere' : 'doubtful_elsewhere', false);
}

function observed(transfer: Transfer, dispatch: DispatchView | 'unknown' | null, facts: HandoffFacts): HandoffStep {
  if (dispatch === null) return same(transfer);
  // The runtime that was given it knows nothing of it: that proves nothing.
  if (dispatch === 'unknown') return doubted(transfer, 'delivery_uncertain', facts);
  const { delivery_state, session_ref, canonical_url, dispatch_id } = dispatch;
  if (dispatch_id !== transfer.dispatch) return same(transfer);
  if (PROVED_UNDELIVERED.has(delivery_state)) {
    // The second message was not taken; the first one is still in doubt.
    return transfer.seededAgain
      ? doubted(transfer, 'delivery_uncertain', facts)
      : failed(transfer, 'not_delivered', true);
  }
  const known = canonical_url === null ? transfer.target : targetOf(transfer, canonical_url, session_ref);
  const next = { ...transfer, target: known };
  if (delivery_state === 'applied') {
    if (known === null) return doubted(next, 'delivery_uncertain', facts);
    if (known.conversation === transfer.conversation) return failed(next, 'target_is_source', false);
    return at(next, 'verifying', facts);
  }
  // Uncertain: as long as its browser has not told all that it knows, it is still on its way.
  if (dispatch.reason === null) {
    const askedAt = transfer.phase === 'uncertain' ? transfer.since : facts.now;
    const waiting = { ...next, since: transfer.phase === 'observing' ? transfer.since : askedAt };
    if (facts.now - waiting.since >= OBSERVE_MS) return doubted(next, 'delivery_uncertain', facts);
    return { transfer: transfer.phase === 'uncertain' ? next : waiting, effects: [], ended: null };
  }
  if (transfer.phase === 'uncertain') return same(next);
  return doubted(next, 'delivery_uncertain', facts);
}

function targetOf(transfer: Transfer, url: string, session: string | null): NonNullable<Transfer['target']> {
  const known = transfer.target?.conversation === url ? transfer.target : null;
  return { conversation: url, session: session ?? known?.session ?? null, tab: known?.tab ?? null };
}

function verified(
  transfer: Transfer,
  event: Extract<HandoffEvent, { type: 'verified' }>,
  facts: HandoffFacts,
): HandoffStep {
  const { conversation, found, message } = event;
  if (conversation === transfer.conversation) return same(transfer);
  if (found === 'yes') {
    const target = targetOf(transfer, conversation, null);
    return { transfer: { ...transfer, target }, effects: [], ended: { as: 'verified', message } };
  }
  if (conversation !== transfer.target?.conversation) return same(transfer);
  if (found === 'none' && transfer.phase === 'uncertain' && !transfer.seededAgain && transfer.target.session !== null) {
    // Proved by the target's own server: now it may be given once more, into that same chat.
    return at({ ...transfer, seededAgain: true }, 'delivering', facts);
  }
  if (transfer.phase === 'verifying' && facts.now - transfer.since >= VERIFY_MS)
    return doubted(transfer, 'delivery_uncertain', facts);
  return same(transfer);
}

/** What came of the source's summary: the words are there, or there are none. */
function went(summary: ReturnType<typeof summed>, facts: HandoffFacts): HandoffStep {
  const { transfer } = summary;
  if ('failed' in summary) return failed(transfer, summary.failed, false);
  if (transfer.message !== null) return at(transfer, 'delivering', facts);
  return { transfer, effects: 'effects' in summary ? summary.effects : [], ended: null };
}

/** A person presses: whatever is asked of anybody now only looks. */
function resumed(transfer: Transfer, facts: HandoffFacts): HandoffStep {
  const { phase, target, message, id } = transfer;
  const asked = { ...transfer, askedAt: facts.now };
  if (phase !== 'uncertain') return { transfer: asked, effects: asking(asked, facts), ended: null };
  const mark = message === null ? null : markIn(message);
  if (mark === null) return same(transfer);
  const effects: HandoffEffect[] = [...asking(asked, facts)];
  if (target !== null && facts.targetTab === null) {
    effects.push({ type: 'open_target', transfer: id, url: target.conversation });
  } else if (target !== null && facts.targetTab !== null) {
    effects.push({ type: 'verify', transfer: id, tab: facts.targetTab, conversation: target.conversation, mark });
  } else {
    for (const { tab, conversation } of facts.candidates)
      effects.push({ type: 'verify', transfer: id, tab, conversation, mark });
  }
  return { transfer: asked, effects, ended: null };
}

function look(transfer: Transfer, facts: HandoffFacts, restarted: boolean): HandoffStep {
  const { now } = facts;
  const waited = now - transfer.since;
  const late = summaryOverdue(transfer, facts);
  if (late !== null) return went(late, facts);
  if (transfer.phase === 'preparing' && waited >= PREPARE_MS) return failed(transfer, 'continuity_unavailable', false);
  if (transfer.phase === 'verifying' && waited >= VERIFY_MS)
    return doubted(transfer, facts.targetTab === null ? 'no_tab' : 'delivery_uncertain', facts);
  if (transfer.phase === 'observing' && waited >= OBSERVE_MS) return doubted(transfer, 'delivery_uncertain', facts);
  const due = restarted || now - transfer.askedAt >= ASK_AGAIN_MS || now < transfer.askedAt;
  // A chat that could not show it is not asked for ever: a person looks again when it suits.
  const given = transfer.phase === 'uncertain' && transfer.target !== null;
  if (!due || given) return same(transfer);
  const asked = { ...transfer, askedAt: now };
  return { transfer: asked, effects: asking(asked, facts), ended: null };
}
