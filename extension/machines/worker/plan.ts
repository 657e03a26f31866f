/**
 * What goes to a conversation next. A person's queued words come first, then what settled, and progress only into a quiet
 * page. One message at a time, and only into a page that is idle and holds no draft. Pure.
 */
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import type { Language } from '../../../look/words/index.ts';
import { fnv1a } from '../../fnv.ts';
import type { Reason } from '../../messages.ts';
import { postObjection, postOf, standsAfter } from '../bridge/index.ts';
import type { Pending } from './at-work.ts';
import { mayWake } from './auto.ts';
import { finish, handOver, overdue } from './delivery.ts';
import { progressOf, wakesOf } from './elsewhere.ts';
import type { Effect, Fresh, Planned } from './events.ts';
import { isEnded } from './handoff-guards.ts';
import { isHeldBack } from './healing.ts';
import {
  BLOCKED_PAUSE_MS,
  JUDGED_EXPIRES_MS,
  MANUAL_EXPIRES_MS,
  SUBMITTED_UNPROVEN_MS,
  WAIT_AUTO_MS,
  WAIT_MANUAL_MS,
} from './limits.ts';
import { plan } from './message.ts';
import { readNewChat } from './new-chat.ts';
import { decideProgress, fingerprintOf } from './progress.ts';
import { batchOf, queueOf } from './queue.ts';
import { begunTab, readyTab, restoredTab, tabOf } from './ready.ts';
import { progressText, settledText, tasksText, toldTasks, type WorkspaceFacts } from './render.ts';
import {
  type Binding,
  boundTo,
  type Delivery,
  ignored,
  openDelivery,
  type State,
  withBinding,
  withDelivery,
} from './state.ts';

/** Moves a conversation on as far as it goes now. Asking again changes nothing more. */
export function advance(state: State, conversation: string, now: number, byPerson = false): Planned {
  const open = openDelivery(state, conversation);
  // A site that refuses is left alone: what nobody pressed waits, and what was submitted is looked for afterwards.
  if (!byPerson && !open?.manual && isHeldBack(state, conversation, now)) return { state, effects: [] };
  if (open) return moveOn(state, open, now);
  const post = postOf(state.bridge, conversation, now);
  if (post !== null) {
    if (readyTab(state, conversation) === null) return { state, effects: [] };
    return advance(plan(state, { ...post, kind: 'bridge', conversation }, now), conversation, now);
  }
  const batch = batchOf(queueOf(state, conversation));
  if (batch !== null) {
    const { uncertain, notBefore } = queueOf(state, conversation);
    // The words belong to wherever the work goes on; that is decided in a moment.
    if (!byPerson && isMoving(state, conversation)) return { state, effects: [] };
    if (uncertain.length > 0 || notBefore > now || readyTab(state, conversation) === null)
      return { state, effects: [] };
    const id = `queue:${batch.id}:${now.toString(36)}`;
    const next = plan(state, { id, kind: 'queue', conversation, text: batch.text, queued: batch.ids }, now);
    return advance(next, conversation, now, byPerson);
  }
  const row = boundTo(state, conversation).find((one) => isTold(state, one, now));
  if (!row || state.link !== 'connected' || readyTab(state, conversation) === null) return { state, effects: [] };
  return { state, effects: [lookAt(state, row)] };
}

export function lookAt(state: State, row: Binding): Effect {
  const session = row.target === null ? null : (state.sessions[row.target.conversation]?.ref ?? null);
  return { type: 'look', binding: row.id, revision: row.revision, workspace: row.workspace, session };
}

function isTold(state: State, row: Binding, now: number): boolean {
  const { pending } = row.activity;
  return pending !== null && !pending.uncertain && pending.notBefore <= now && mayWake(state, row);
}

function moveOn(state: State, delivery: Delivery, now: number): Planned {
  if (delivery.state === 'submitting') {
    const tab = tabOf(state, delivery.conversation, delivery.tab) ?? begunTab(state, delivery);
    const { text, baseline } = delivery;
    if (overdue(delivery, now) !== 'look' || text === null || baseline === null) return { state, effects: [] };
    const noted = withDelivery(state, { ...delivery, lookedAt: now });
    if (tab === null) {
      const unproven = now - delivery.updatedAt >= SUBMITTED_UNPROVEN_MS;
      return {
        state: unproven ? finish(noted, delivery, 'uncertain', 'delivery_uncertain', now).state : noted,
        effects: [],
      };
    }
    const { id } = delivery;
    // A chat that was to begin is looked for under the address that it has by now.
    const conversation = state.tabs[tab]?.page.conversation ?? delivery.conversation;
    return { state: noted, effects: [{ type: 'probe', id, tab, conversation, text, baseline }] };
  }
  const against = objection(state, delivery);
  const expired = isExpired(delivery, now);
  if (against !== null || expired) {
    const counted = against === 'unbound' ? ignored(state, 'binding_changed') : state;
    const { state: after } = finish(counted, delivery, 'blocked', against ?? 'no_tab', now);
    return against === null ? { state: after, effects: [] } : advance(after, delivery.conversation, now);
  }
  if (delivery.state === 'handed' && overdue(delivery, now) !== 'hand_again') return { state, effects: [] };
  const tab = delivery.manual
    ? tabOf(state, delivery.conversation, null)
    : (readyTab(state, delivery.conversation) ?? restoredTab(state, delivery));
  const open = tab === null ? undefined : state.tabs[tab];
  if (tab === null || !open) {
    return delivery.manual
      ? { state: finish(state, delivery, 'blocked', 'no_tab', now).state, effects: [] }
      : { state, effects: [] };
  }
  const handed = handOver(delivery, { tab, document: open.document }, now);
  const { id, attempt, kind, text, connector, conversation } = handed;
  const fresh = readNewChat(conversation);
  const order = {
    id,
    ...(fresh === null ? {} : { opens: { project: fresh.project } }),
    ...standsAfter(state.bridge, id, conversation),
    attempt,
    kind,
    text: text ?? '',
    connector,
    waitMs: handed.manual ? WAIT_MANUAL_MS : WAIT_AUTO_MS,
    ...(handed.account === undefined ? {} : { account: handed.account }),
  };
  return { state: withDelivery(state, handed), effects: [{ type: 'deliver', tab, conversation, order }] };
}

/** Its moment has passed. Asked again at the claim: a page that slept may want to send it hours later. */
export const isExpired = (delivery: Delivery, now: number): boolean => now - delivery.createdAt > lastsFor(delivery);

/** News are told whenever that is possible; a press, and a word about one answer, are about a moment that passes. */
function lastsFor({ manual, kind }: Delivery): number {
  if (manual) return MANUAL_EXPIRES_MS;
  return kind === 'judge' ? JUDGED_EXPIRES_MS : Number.POSITIVE_INFINITY;
}

/** Whether the handoff that this message belongs to is over by a person's hand. */
function isLeft(state: State, { id, text, conversation }: Delivery): boolean {
  if (text !== null && isEnded(state, text)) return true;
  return readNewChat(conversation) === null && state.transfers[id.slice('handoff:'.length)] === undefined;
}

/** Why a message must not go out any more, although it was planned; null: it may. Asked again at the claim. */
export function objection(state: State, delivery: Delivery): Reason | null {
  const rows = delivery.bindings.map(({ id }) => state.bindings[id]);
  const changed = delivery.bindings.some(
    ({ revision }, index) =>
      rows[index]?.revision !== revision || rows[index]?.target?.conversation !== delivery.conversation,
  );
  if (changed) return 'unbound';
  if (state.link === 'standby') return 'standby';
  if (delivery.kind === 'handoff' && isLeft(state, delivery)) return 'taken_over';
  if (delivery.kind === 'bridge' || delivery.kind === 'dispatch') return postObjection(state.bridge, delivery);
  if (delivery.manual || delivery.kind === 'queue') return null;
  const live = rows.filter((row) => row !== undefined);
  if (live.some((row) => !mayWake(state, row))) return 'auto_off';
  if (queueOf(state, delivery.conversation).entries.length > 0) return 'wake_in_flight';
  if (delivery.kind === 'progress' && live.some((row) => row.activity.status !== 'working')) return 'nothing_settled';
  return null;
}

/** The inbox and the live state were read: the task wake, else the generic one, else later. */
export function decideWake(
  state: State,
  row: Binding,
  seen: { fresh: Fresh | null; inbox: TasksAnswer | 'none' | null },
  language: Language,
  now: number,
): Planned {
  const conversation = row.target?.conversation;
  const { pending } = row.activity;
  if (conversation === undefined || !mayWake(state, row) || openDelivery(state, conversation))
    return { state, effects: [] };
  if (readyTab(state, conversation) === null || queueOf(state, conversation).entries.length > 0)
    return { state, effects: [] };
  const { fresh, inbox } = seen;
  if (fresh === null) return { state: later(state, row, now), effects: [] };
  const tasks = inbox === null || inbox === 'none' ? [] : untold(state, toldTasks(inbox.tasks));
  const session = state.sessions[conversation]?.ref ?? null;
  const consumed = { ...row.activity, pending: null };
  const restore = { pending: pending === null ? {} : { [row.id]: pending } };
  if (tasks.length > 0 && session !== null && inbox !== null && inbox !== 'none') {
    const ids = tasks.map(({ task_id }) => task_id);
    const text = tasksText(language, { tasks, summary: inbox.summary });
    const id = `tasks:${fnv1a(ids.join('\n'))}:${now.toString(36)}`;
    const told = { session, ids, acknowledged: false };
    const claims = { keys: [...wakesOf(row), ...ids.map((task) => `task:${task}`)] };
    const given = { id, kind: 'tasks' as const, conversation, text, rows: [row], tasks: told, claims, restore };
    return advance(plan(withBinding(state, { ...row, activity: consumed }), given, now), conversation, now);
  }
  if (pending === null) return { state, effects: [] };
  // The inbox will say more in a moment, or it cannot be read: the generic wake waits a little, not for ever.
  const unread = inbox === null || (inbox !== 'none' && inbox.settling > 0);
  if (unread && now - pending.at < 2 * BLOCKED_PAUSE_MS) return { state: later(state, row, now), effects: [] };
  const text = settledText(language, state.config.settledTemplate, factsOf(fresh, row), pending.panes, pending.missed);
  const id = `settled:${fnv1a(`${row.id}\n${pending.count}\n${pending.at}`)}:${now.toString(36)}`;
  const claims = { keys: wakesOf(row) };
  const given = { id, kind: 'settled' as const, conversation, text, rows: [row], claims, restore };
  return advance(plan(withBinding(state, { ...row, activity: consumed }), given, now), conversation, now);
}

/** Output was read: news, or enough silence. Written down as sent before it is, so that a restart repeats nothing. */
export function decideProgressWake(
  state: State,
  row: Binding,
  seen: { fresh: Fresh | null; output: string },
  language: Language,
  now: number,
): Planned {
  const conversation = row.target?.conversation;
  const { progress, status } = row.activity;
  if (conversation === undefined || seen.fresh === null || status !== 'working') return { state, effects: [] };
  if (!mayWake(state, row) || openDelivery(state, conversation) || readyTab(state, conversation) === null)
    return { state, effects: [] };
  if (queueOf(state, conversation).entries.length > 0) return { state, effects: [] };
  const fingerprint = fingerprintOf(seen.output);
  const { send } = decideProgress(progress, fingerprint, state.config, now);
  if (send === null) return { state, effects: [] };
  const { progressTemplate: own } = state.config;
  const text = progressText(language, own, factsOf(seen.fresh, row), seen.output, send === 'fallback');
  const activity = { ...row.activity, progress: { ...progress, sentAt: now, fingerprint } };
  const id = `progress:${fnv1a(`${row.id}\n${fingerprint}`)}:${now.toString(36)}`;
  const given = {
    id,
    kind: 'progress' as const,
    conversation,
    text,
    rows: [row],
    claims: progressOf(row, state.config),
    restore: { progress: { [row.id]: progress } },
  };
  return advance(plan(withBinding(state, { ...row, activity }), given, now), conversation, now);
}

export function factsOf(fresh: Fresh, row: Binding): WorkspaceFacts {
  return {
    id: row.workspace,
    label: row.label,
    agents: fresh.agents.filter(({ workspace }) => workspace === row.workspace),
  };
}

/** Tasks that no earlier message has told, or may have told. */
function untold<T extends { task_id: string }>(state: State, tasks: readonly T[]): T[] {
  const told = new Set(
    Object.values(state.deliveries)
      .filter(({ state: became }) => became === 'sent' || became === 'uncertain' || became === 'elsewhere')
      .flatMap((one) => one.tasks?.ids ?? []),
  );
  return tasks.filter(({ task_id }) => !told.has(task_id));
}

function later(state: State, row: Binding, now: number): State {
  const { pending } = row.activity;
  if (pending === null) return state;
  const put: Pending = { ...pending, notBefore: now + BLOCKED_PAUSE_MS };
  return withBinding(state, { ...row, activity: { ...row.activity, pending: put } });
}

const isMoving = ({ transfers }: State, conversation: string): boolean =>
  Object.values(transfers).some((one) => one.conversation === conversation && one.phase !== 'uncertain');
