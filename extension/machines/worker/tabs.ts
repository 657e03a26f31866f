/** The open chat tabs: who is there, who has gone, and what a page reports of its turns and of our messages. Pure. */

import { projectOf } from '../../page.ts';
import { atOnce as postAtOnce } from '../bridge/index.ts';
import { sameText } from '../page/index.ts';
import { arrive, userTurnAccepted } from './binding.ts';
import { looked, pageGone, type Settled } from './delivery.ts';
import type { Effect, Event, From, Planned } from './events.ts';
import { readNewChat } from './new-chat.ts';
import { advance } from './plan.ts';
import { isQuiet } from './ready.ts';
import { boundTo, type Delivery, isOpen, type State, type Tab, withBinding, withDelivery } from './state.ts';

export function here(state: State, from: From, page: State['tabs'][string]['state'], now: number): Planned {
  const { tab, document, version } = from;
  const before = state.tabs[tab];
  const same = before?.document === document && before.page.conversation === from.page.conversation;
  const seen = same ? { shownAt: before.shownAt ?? 0, turnAt: before.turnAt ?? 0 } : { shownAt: now, turnAt: 0 };
  const open: Tab = { document, version, page: from.page, state: page, ...seen };
  let next: State = { ...state, tabs: { ...state.tabs, [tab]: open } };
  if (before && !isQuiet(before) && isQuiet(open) && from.page.conversation !== null)
    next = atOnce(next, from.page.conversation);
  if (before && before.document !== document) next = orphaned(next, tab, before.document, now);
  next = arrive(next, from.page, tab);
  const moved =
    from.page.conversation === null ? { state: next, effects: [] } : advance(next, from.page.conversation, now);
  const fresh = before?.document === document ? [] : keptTabs(moved.state);
  return { state: moved.state, effects: [...fresh, ...moved.effects] };
}

/** The document is gone; its tab may show another one by now. */
export function withoutTab(state: State, tab: number, document: string | null, now: number): Planned {
  const open = state.tabs[tab];
  if (!open || (document !== null && open.document !== document)) return { state, effects: [] };
  const { [tab]: _gone, ...tabs } = state.tabs;
  const next = orphaned({ ...state, tabs }, tab, open.document, now);
  return open.page.conversation === null ? { state: next, effects: [] } : advance(next, open.page.conversation, now);
}

function orphaned(state: State, tab: number, document: string, now: number): State {
  let next = state;
  for (const delivery of Object.values(state.deliveries)) {
    if (!isOpen(delivery) || delivery.tab !== tab || delivery.document !== document) continue;
    next = withDelivery(next, pageGone(delivery, now));
  }
  return next;
}

export function afterwards({ state, finished }: Settled, now: number): Planned {
  if (finished === null) return { state, effects: [] };
  const acknowledge = finished.state === 'sent' ? unacknowledged(state) : [];
  // The page is busy with the answer from now on, whatever it said last; unless that answer has ended already.
  const writes = finished.state === 'sent' && finished.answered !== true && finished.tab !== null;
  const busy = writes && finished.tab !== null ? withBusy(state, finished.tab) : state;
  const moved = finished.state === 'sent' ? { state: busy, effects: [] } : advance(busy, finished.conversation, now);
  return { state: moved.state, effects: [...acknowledge, ...moved.effects] };
}

function withBusy(state: State, tab: number): State {
  const open = state.tabs[tab];
  return open ? { ...state, tabs: { ...state.tabs, [tab]: { ...open, state: { ...open.state, busy: true } } } } : state;
}

export function turnAccepted(
  state: State,
  { from, text, id }: Extract<Event, { type: 'turn_accepted' }>,
  now: number,
): Planned {
  let next = userTurnAccepted(state, from.page, from.tab);
  // A late sight of a message that was in doubt is the proof that it arrived.
  const proof = { arrived: 'yes', messageId: id ?? null } as const;
  for (const delivery of Object.values(next.deliveries)) {
    if (delivery.state !== 'uncertain' || !isItsChat(delivery, from)) continue;
    if (delivery.text !== null && sameText(delivery.text, text)) next = looked(next, delivery.id, proof, now).state;
  }
  return { state: withTurn(withBusy(next, from.tab), from.tab, now), effects: [] };
}

/** The chat that a message was for; one that was to begin shows itself in the tab, and in the Project, where it was to. */
function isItsChat({ conversation }: Delivery, { tab, page }: From): boolean {
  const fresh = readNewChat(conversation);
  if (fresh === null) return conversation === page.conversation;
  return fresh.tab === tab && page.conversation !== null && (projectOf(page)?.key ?? null) === fresh.project;
}

/** A turn was seen there: another tab of the same chat does not show it. */
function withTurn(state: State, tab: number, now: number): State {
  const open = state.tabs[tab];
  return open ? { ...state, tabs: { ...state.tabs, [tab]: { ...open, shownAt: now, turnAt: now } } } : state;
}

export function ended(state: State, { from, turn }: Extract<Event, { type: 'turn_ended' }>, now: number): Planned {
  const open = state.tabs[from.tab];
  const quiet = open
    ? { ...state, tabs: { ...state.tabs, [from.tab]: { ...open, state: { ...open.state, busy: false } } } }
    : state;
  let next = withTurn(quiet, from.tab, now);
  for (const one of Object.values(state.deliveries)) {
    const own = one.state === 'submitting' && one.tab === from.tab && one.document === from.document;
    if (own && turn !== undefined && one.text !== null && sameText(one.text, turn.user))
      next = withDelivery(next, { ...one, answered: true });
  }
  return from.page.conversation === null ? { state: next, effects: [] } : advance(next, from.page.conversation, now);
}

/** A page has become quiet: what it refused a moment ago need not wait any longer. */
function atOnce(state: State, conversation: string): State {
  let next = state;
  for (const row of boundTo(state, conversation)) {
    const { pending } = row.activity;
    if (pending === null || pending.notBefore === 0) continue;
    next = withBinding(next, { ...row, activity: { ...row.activity, pending: { ...pending, notBefore: 0 } } });
  }
  const bridge = postAtOnce(next.bridge, conversation);
  if (bridge !== next.bridge) next = { ...next, bridge };
  const queue = next.queues[conversation];
  return queue ? { ...next, queues: { ...next.queues, [conversation]: { ...queue, notBefore: 0 } } } : next;
}

/** Messages whose page is no longer the one that they were handed to: the browser or the extension was restarted. */
export function orphansOf(state: State, now: number): State {
  let next = state;
  for (const delivery of Object.values(state.deliveries)) {
    const { tab, document } = delivery;
    if (!isOpen(delivery) || tab === null || document === null || state.tabs[tab]?.document === document) continue;
    next = withDelivery(next, pageGone(delivery, now));
  }
  return next;
}

/** Pages that something waits for and that were not quiet when they last spoke: they are asked, they may have forgotten. */
export function askPages(state: State): Effect[] {
  return Object.entries(state.tabs).flatMap(([id, tab]) => {
    const { conversation } = tab.page;
    if (conversation === null || isQuiet(tab)) return [];
    const waits =
      state.queues[conversation] !== undefined ||
      boundTo(state, conversation).some((row) => row.activity.pending !== null) ||
      Object.values(state.awaited).some((one) => one.conversation === conversation) ||
      Object.values(state.actuations).some(({ command }) => command?.session?.canonical_url === conversation);
    return waits ? [{ type: 'ask' as const, tab: Number(id) }] : [];
  });
}

/** A tab that rows send to must not be unloaded by the browser to save memory. */
export function keptTabs(state: State): Effect[] {
  const wanted = new Set(Object.values(state.bindings).map(({ tab }) => tab));
  return Object.keys(state.tabs).map((id) => ({ type: 'keep_tab', tab: Number(id), keep: wanted.has(Number(id)) }));
}

/** Told and not yet acknowledged: repeating the acknowledgement is harmless, forgetting it is not. */
export function unacknowledged(state: State): Effect[] {
  return Object.values(state.deliveries).flatMap(({ id, state: became, tasks }) =>
    became === 'sent' && tasks !== null && !tasks.acknowledged
      ? [{ type: 'acknowledge' as const, delivery: id, session: tasks.session, tasks: tasks.ids }]
      : [],
  );
}
