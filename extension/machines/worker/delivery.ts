/**
 * One message on its way to one conversation: planned → handed → submitting → sent, blocked or uncertain; or `elsewhere`,
 * when another browser has sent it before it was claimed.
 *
 * Nothing is submitted before the worker has written `submitting` (the page's claim), so what was not claimed was
 * certainly not sent and may be handed over again, and what was claimed is never handed over again: it is looked for
 * until a turn with its text is found, else it is uncertain. Pure.
 */
import type { Baseline, DeliveryOutcome, Reason } from '../../messages.ts';
import { posted } from '../bridge/index.ts';
import {
  BLOCKED_PAUSE_MS,
  DELIVERIES_KEPT,
  HANDED_SILENT_MS,
  PROBE_PAUSE_MS,
  SUBMITTED_UNPROVEN_MS,
} from './limits.ts';
import { delivered, doubted, postponed } from './queue.ts';
import { type Delivery, ignored, isOpen, type State, withBinding, withDelivery } from './state.ts';

export type Settled = { state: State; finished: Delivery | null };

/** Gives it to a page. The same page gets the same attempt again, which it knows; another page gets the next one. */
export function handOver(delivery: Delivery, to: { tab: number; document: string }, now: number): Delivery {
  const same = delivery.state === 'handed' && delivery.tab === to.tab && delivery.document === to.document;
  const attempt = same ? delivery.attempt : delivery.attempt + 1;
  return { ...delivery, state: 'handed', attempt, tab: to.tab, document: to.document, reason: null, updatedAt: now };
}

/** May the page submit? Null: yes, and it is written down. Whoever asks for an attempt that is over gets no. */
export function claim(
  state: State,
  given: { id: string; attempt: number; document: string; baseline: Baseline },
  objection: (delivery: Delivery) => Reason | null,
  now: number,
): { state: State; reason: Reason | null } {
  const delivery = state.deliveries[given.id];
  if (delivery?.state !== 'handed' || delivery.attempt !== given.attempt || delivery.document !== given.document) {
    return { state: ignored(state, 'attempt_over'), reason: 'wake_in_flight' };
  }
  const reason = objection(delivery);
  if (reason !== null) return { state: reason === 'unbound' ? ignored(state, 'binding_changed') : state, reason };
  const { baseline } = given;
  return {
    state: withDelivery(state, { ...delivery, state: 'submitting', baseline, updatedAt: now, lookedAt: now }),
    reason: null,
  };
}

/** What a page says became of it. A second answer, or one about another attempt, changes nothing. */
export function outcome(
  state: State,
  given: { id: string; attempt: number; document: string; outcome: DeliveryOutcome },
  now: number,
): Settled {
  const delivery = state.deliveries[given.id];
  const current =
    delivery && isOpen(delivery) && delivery.attempt === given.attempt && delivery.document === given.document;
  if (!current || delivery.state === 'planned') return { state: ignored(state, 'attempt_over'), finished: null };
  // After the claim only the page's own word that it pressed nothing makes it unsent.
  switch (given.outcome.state) {
    case 'sent':
      return finish(state, { ...delivery, messageId: given.outcome.messageId }, 'sent', null, now);
    case 'blocked':
      return finish(state, delivery, 'blocked', given.outcome.reason, now);
    case 'uncertain':
      // Nothing is pressed before the claim: a page that failed earlier has certainly not sent it.
      return delivery.state === 'handed'
        ? finish(state, delivery, 'blocked', 'page_unreadable', now)
        : finish(state, delivery, 'uncertain', 'delivery_uncertain', now);
  }
}

/** The page could not be given it: it was not there, or it refused at once. Not claimed, so not sent. */
export function refused(state: State, id: string, attempt: number, reason: Reason, now: number): Settled {
  const delivery = state.deliveries[id];
  if (delivery?.state !== 'handed' || delivery.attempt !== attempt) {
    return { state: ignored(state, 'attempt_over'), finished: null };
  }
  return finish(state, delivery, 'blocked', reason, now);
}

/** A look for a submitted message: found, or not found (yet). */
export function looked(
  state: State,
  id: string,
  { arrived, messageId = null }: { arrived: 'yes' | 'unknown'; messageId?: string | null },
  now: number,
): Settled {
  const delivery = state.deliveries[id];
  if (!delivery || (delivery.state !== 'submitting' && delivery.state !== 'uncertain'))
    return { state, finished: null };
  if (arrived === 'yes') return finish(state, { ...delivery, messageId }, 'sent', null, now);
  if (delivery.state === 'uncertain') return { state, finished: null };
  if (now - delivery.updatedAt < SUBMITTED_UNPROVEN_MS) {
    return { state: withDelivery(state, { ...delivery, lookedAt: now }), finished: null };
  }
  return finish(state, delivery, 'uncertain', 'delivery_uncertain', now);
}

/** What has to be done about a message that nobody speaks of any more. */
export function overdue(delivery: Delivery, now: number): 'hand_again' | 'look' | null {
  if (delivery.state === 'handed' && now - delivery.updatedAt >= HANDED_SILENT_MS) return 'hand_again';
  if (delivery.state === 'submitting' && now - delivery.lookedAt >= PROBE_PAUSE_MS) return 'look';
  return null;
}

/** Its page is gone. Not claimed: it may go to another page. Claimed: it is looked for. */
export function pageGone(delivery: Delivery, now: number): Delivery {
  if (delivery.state !== 'handed') return { ...delivery, tab: null, document: null, lookedAt: 0 };
  return { ...delivery, state: 'planned', tab: null, document: null, updatedAt: now };
}

export function finish(
  state: State,
  delivery: Delivery,
  as: 'sent' | 'blocked' | 'uncertain' | 'elsewhere',
  reason: Reason | null,
  now: number,
): Settled {
  const finished: Delivery = { ...delivery, state: as, reason, updatedAt: now };
  // An uncertain one keeps its text: a late sight of the turn proves it.
  const kept = as === 'uncertain' ? finished : { ...finished, text: null };
  let next = withDelivery(state, kept);
  // It was told, by another browser: nothing of it is left to tell.
  if (as === 'elsewhere') return { state: withoutOldest(next), finished };
  next = giveBack(next, delivery, as, now);
  const bridge = posted(next.bridge, delivery.id, delivery.conversation, as, reason, now);
  if (bridge !== next.bridge) next = { ...next, bridge };
  if (delivery.queued.length > 0) {
    if (as === 'sent') next = delivered(next, delivery.conversation, delivery.queued);
    if (as === 'uncertain') next = doubted(next, delivery.conversation, delivery.queued);
    if (as === 'blocked') next = postponed(next, delivery.conversation, now + BLOCKED_PAUSE_MS);
  }
  return { state: withoutOldest(next), finished };
}

/** What was told is told; what was not told waits again; what may have been told waits for a person. */
function giveBack(state: State, delivery: Delivery, as: 'sent' | 'blocked' | 'uncertain', now: number): State {
  let next = state;
  if (as === 'sent') return delivery.state === 'uncertain' ? withoutDoubt(state, delivery) : state;
  for (const [id, pending] of Object.entries(delivery.restore.pending)) {
    const row = next.bindings[id];
    if (!row) continue;
    const since = row.activity.pending;
    const joined = since === null ? pending : { ...since, panes: mergePanes(pending.panes, since.panes) };
    const notBefore = as === 'blocked' && !delivery.manual ? now + BLOCKED_PAUSE_MS : joined.notBefore;
    const uncertain = as === 'uncertain' && since === null;
    next = withBinding(next, { ...row, activity: { ...row.activity, pending: { ...joined, notBefore, uncertain } } });
  }
  if (as === 'uncertain') return next;
  for (const [id, progress] of Object.entries(delivery.restore.progress)) {
    const row = next.bindings[id];
    if (!row || row.activity.progress.sentAt !== delivery.createdAt) continue;
    const given = { ...row.activity.progress, sentAt: progress.sentAt, fingerprint: progress.fingerprint };
    next = withBinding(next, { ...row, activity: { ...row.activity, progress: given } });
  }
  return next;
}

/** It had arrived after all: nobody has to decide about it any more. */
function withoutDoubt(state: State, delivery: Delivery): State {
  let next = state;
  for (const id of Object.keys(delivery.restore.pending)) {
    const row = next.bindings[id];
    if (!row?.activity.pending?.uncertain) continue;
    next = withBinding(next, { ...row, activity: { ...row.activity, pending: null } });
  }
  return next;
}

type Panes = NonNullable<State['bindings'][string]['activity']['pending']>['panes'];

function mergePanes(older: Panes, newer: Panes): Panes {
  return [...older.filter(({ pane }) => newer.every((one) => one.pane !== pane)), ...newer];
}

function withoutOldest(state: State): State {
  const finished = Object.values(state.deliveries).filter((one) => !isOpen(one));
  if (finished.length <= DELIVERIES_KEPT) return state;
  // What the runtime has yet to hear of, or may still be proved, goes last: forgotten, its tasks would be told once more.
  const done = finished.filter((one) => one.state !== 'uncertain' && (one.tasks === null || one.tasks.acknowledged));
  const [oldest] = (done.length > 0 ? done : finished).sort((a, b) => a.updatedAt - b.updatedAt);
  if (!oldest) return state;
  const { [oldest.id]: _gone, ...deliveries } = state.deliveries;
  return { ...state, deliveries };
}
