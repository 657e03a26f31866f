/**
 * Where the worker's events meet what the delivery service asks of this browser. Words go out by the one delivery machine,
 * as a message to a chat or to the page before a chat; everything else is asked of a page or of the browser. Pure.
 */

import type { AccountMark, Reason } from '../../messages.ts';
import { projectOf } from '../../page.ts';
import {
  ACTUATIONS_MAX,
  type Actuation,
  type ActuationEffect,
  type ActuationEvent,
  ANSWER_MS,
  ANSWERS_MAX,
  actuate,
  begin,
  type Facts,
} from '../actuation/index.ts';
import type { Effect, Event, Step } from './events.ts';
import { handoffObjection } from './handoff-agents.ts';
import { connectorOf, plan } from './message.ts';
import { newChat, readNewChat } from './new-chat.ts';
import { advance } from './plan.ts';
import { queueOf } from './queue.ts';
import { isQuiet, tabsOf } from './ready.ts';
import { type Delivery, isOpen, type State, type Tab, withDelivery } from './state.ts';

const PREFIX = 'act:';
export const deliveryIdOf = (actuation: string): string => `${PREFIX}${actuation}`;

/** What one event means for the acts that this browser does. */
export function acting(before: State, done: Step, event: Event, now: number): Step {
  let run: Run = { state: done.state, effects: [...done.effects] };
  if (event.type === 'actuations') run = begun(run, event, now);
  if (event.type === 'actuation') run = acted(run, event.id, event.event, event, now);
  if (event.type === 'awaited_over') run = { ...run, state: withoutAwaited(run.state, event.dispatch) };
  for (const one of finished(before, run.state)) {
    const said = outcomeOf(run.state, one, event);
    run = acted(run, one.id.slice(PREFIX.length), said, event, now);
  }
  const look = LOOKS[event.type];
  if (look !== undefined)
    for (const id of Object.keys(run.state.actuations)) run = acted(run, id, { type: look }, event, now);
  return run.state === done.state && run.effects.length === done.effects.length ? done : { ...done, ...run };
}

const LOOKS: Partial<Record<Event['type'], 'look' | 'restarted'>> = {
  started: 'restarted',
  hello: 'look',
  tick: 'look',
  here: 'look',
  page: 'look',
  turn_ended: 'look',
  tab_gone: 'look',
  no_receiver: 'look',
};

interface Run {
  state: State;
  effects: Effect[];
}

function begun(run: Run, { waiting, claimant }: Extract<Event, { type: 'actuations' }>, now: number): Run {
  let next = run;
  for (const id of waiting) {
    const { actuations } = next.state;
    const under = Object.values(actuations).filter(({ phase }) => phase !== 'doubting').length;
    if (actuations[id] !== undefined || under >= ACTUATIONS_MAX) continue;
    next = taken(next, id, begin(id, `${claimant}:${id}`, now), now);
  }
  return next;
}

function acted(run: Run, id: string, what: ActuationEvent, event: Event, now: number): Run {
  const known = run.state.actuations[id];
  if (known === undefined) return run;
  const stepped = actuate(known, objected(run.state, what), factsOf(run.state, known, what, event, now));
  const next = taken(run, id, stepped, now);
  const told = what.type === 'reported' && what.answer === 'told' && event.type === 'actuation';
  return told && event.applied ? { ...next, state: awaits(next.state, known, now) } : next;
}

/** A handoff by an agent meets the rules of a person's before anything is opened for it. */
function objected(state: State, what: ActuationEvent): ActuationEvent {
  if (what.type !== 'claimed' || what.command === null || what.command === 'unknown') return what;
  const objection = handoffObjection(state, what.command);
  return objection === null ? what : { ...what, objection };
}

function taken(
  { state, effects }: Run,
  id: string,
  { actuation, effects: wanted }: ReturnType<typeof actuate>,
  now: number,
): Run {
  const { [id]: before, ...others } = state.actuations;
  let next: Run = { state, effects };
  if (actuation !== (before ?? null)) {
    const actuations = actuation === null ? others : { ...others, [id]: actuation };
    next = { state: { ...state, actuations }, effects };
  }
  for (const effect of wanted) next = performed(next, effect, now);
  return next;
}

function performed({ state, effects }: Run, effect: ActuationEffect, now: number): Run {
  if (effect.type !== 'send') return { state, effects: [...effects, { type: 'actuate', wants: effect }] };
  const { id, tab, command, account } = effect;
  const fresh = command.operation === 'session.create';
  const conversation = fresh
    ? newChat(tab, projectKeyOf(command.space?.canonical_url))
    : (command.session?.canonical_url ?? '');
  const given = {
    id: deliveryIdOf(id),
    kind: fresh ? ('handoff' as const) : ('dispatch' as const),
    conversation,
    text: command.message ?? '',
    manual: true,
  };
  // A new chat speaks to the tools that its source spoke to.
  const from = fresh ? (command.source_url ?? '') : conversation;
  const planned = plan(state, { ...given, connector: connectorOf(state, from) }, now);
  const meant = account === null ? planned : forAccount(planned, given.id, account);
  const moved = advance(meant, conversation, now, true);
  return { state: moved.state, effects: [...effects, ...moved.effects] };
}

function forAccount(state: State, id: string, account: AccountMark): State {
  const planned = state.deliveries[id];
  return planned === undefined ? state : withDelivery(state, { ...planned, account });
}

/** Only a Project's own address is one. */
const projectKeyOf = (url: string | undefined): string | null => (url === undefined || url === '' ? null : url);

function factsOf(state: State, one: Actuation, what: ActuationEvent, event: Event, now: number): Facts {
  const command = what.type === 'claimed' && what.command !== 'unknown' ? what.command : one.command;
  const tab = what.type === 'opened' ? what.tab : one.tab;
  const page = tab === null ? undefined : state.tabs[tab];
  const session = command?.session?.canonical_url ?? null;
  const closed = event.type === 'tab_gone' && event.tab === tab;
  const meant = command?.operation === 'session.create' || one.phase === 'closing' ? null : session;
  return {
    now,
    tab: closed
      ? 'gone'
      : page === undefined
        ? 'loading'
        : standsAt(page, meant, projectKeyOf(command?.space?.canonical_url)),
    open: session === null ? null : theTab(state, session, command?.operation === 'generation.stop'),
    conversation: page?.page.conversation ?? null,
    visible: page?.state.visible === true,
    unquiet: session === null ? null : unquietness(state, session),
  };
}

/** The one tab of a chat. An answer is stopped where it is being written, when exactly one tab is known to show that. */
function theTab(state: State, conversation: string, writing: boolean): Facts['open'] {
  const open = tabsOf(state, conversation);
  const [first, ...more] = open;
  if (first === undefined) return null;
  if (more.length === 0) return first[0];
  const busy = open.filter(([, { state: page }]) => page.busy !== false);
  const [only] = busy;
  return writing && busy.length === 1 && only?.[1].state.busy === true ? only[0] : 'several';
}

/** Whether the tab is where the act is to be done; a new chat begins at its Project's home, or at the site's own. */
function standsAt(tab: Tab, conversation: string | null, projectKey: string | null): Facts['tab'] {
  if (tab.page.conversation !== conversation) return 'elsewhere';
  if (conversation === null && (projectOf(tab.page)?.key ?? null) !== projectKey) return 'elsewhere';
  return isQuiet(tab) ? 'ready' : 'loading';
}

/**
 * Why nothing may end this chat now: an answer that comes in or is waited for, a person's draft or queued words, a message
 * of ours on its way or in doubt, a handoff. Unknown is not quiet.
 */
function unquietness(state: State, conversation: string): Reason | null {
  const shown = Object.values(state.tabs).filter(({ page }) => page.conversation === conversation);
  for (const { state: page } of shown) {
    if (page.busy === null || page.draft === null) return 'page_unreadable';
    if (page.busy) return 'turn_in_progress';
    if (page.draft) return 'user_typing';
    if (page.card) return 'card_waiting';
  }
  const ours = Object.values(state.deliveries).filter((one) => one.conversation === conversation);
  if (ours.some(isOpen)) return 'wake_in_flight';
  if (ours.some((one) => one.state === 'uncertain')) return 'delivery_uncertain';
  if (Object.values(state.awaited).some((one) => one.conversation === conversation)) return 'turn_in_progress';
  if (queueOf(state, conversation).entries.length > 0) return 'wake_in_flight';
  const moves = Object.values(state.transfers).some((one) => one.conversation === conversation);
  return moves ? 'transfer_active' : null;
}

/** Messages of ours that have come to an end in this step. */
function finished(before: State, after: State): Delivery[] {
  if (before.deliveries === after.deliveries) return [];
  return Object.values(after.deliveries).filter(
    (one) =>
      one.id.startsWith(PREFIX) &&
      before.deliveries[one.id]?.state !== one.state &&
      (one.state === 'sent' || one.state === 'blocked' || one.state === 'uncertain'),
  );
}

function outcomeOf(state: State, one: Delivery, event: Event): ActuationEvent {
  const as = one.state === 'sent' || one.state === 'blocked' ? one.state : 'uncertain';
  const told = event.type === 'done' && event.id === one.id;
  const probed = event.type === 'probed' && event.id === one.id;
  const messageId =
    told && event.outcome.state === 'sent'
      ? event.outcome.messageId
      : probed
        ? (event.messageId ?? null)
        : one.messageId;
  const shown = one.tab === null ? null : (state.tabs[one.tab]?.page.conversation ?? null);
  // A message to a chat that is known stands in that one, whichever tab has shown it.
  const known = readNewChat(one.conversation) === null ? one.conversation : shown;
  const conversation = told ? event.from.page.conversation : known;
  return { type: 'delivered', as, reason: one.reason, messageId, conversation };
}

/** The answer to an accepted message is waited for. */
function awaits(state: State, { command, evidence }: Actuation, now: number): State {
  const message = evidence?.accepted_message_ref;
  const conversation = evidence?.canonical_url;
  if (command === null || command.message === null || message === undefined || conversation === undefined) return state;
  const one = {
    dispatch: command.dispatch_id,
    conversation,
    message,
    generation: command.expected_generation,
    since: now,
  };
  const kept = Object.values(state.awaited)
    .filter(({ since }) => now - since < ANSWER_MS)
    .slice(-(ANSWERS_MAX - 1));
  return { ...state, awaited: Object.fromEntries([...kept, one].map((each) => [each.dispatch, each])) };
}

function withoutAwaited(state: State, dispatch: string): State {
  const { [dispatch]: gone, ...awaited } = state.awaited;
  return gone === undefined ? state : { ...state, awaited };
}
