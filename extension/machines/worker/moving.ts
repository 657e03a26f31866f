/**
 * Where the worker's events meet a handoff: who may begin one, what each of them has to know, and the one write in which
 * the line of work moves. Until that write everything stays with the source. Pure.
 */
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { fnv1a } from '../../fnv.ts';
import type { Reason } from '../../messages.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import {
  asking,
  DELIVER_MS,
  HANDED_KEPT,
  type Handed,
  type HandoffEffect,
  type HandoffEvent,
  type HandoffFacts,
  handoff,
  handoffIn,
  type Transfer,
  type Trigger,
} from '../handoff/index.ts';
import { autoOf } from './auto.ts';
import { conversationRows } from './binding.ts';
import { cutOver } from './cut-over.ts';
import { DONE, type Effect, type Event, type Step } from './events.ts';
import { isTakenBack, rowsOf, startObjection, transferOf } from './handoff-guards.ts';
import { advance } from './plan.ts';
import { tabOf } from './ready.ts';
import type { State } from './state.ts';

/** What one event means for the handoffs, after everything else that it means. */
export function moving(done: Step, event: Event, now: number): Step {
  let run: Run = { state: done.state, effects: done.effects.filter(({ type }) => type !== 'rollover.due') };
  for (const effect of done.effects) {
    if (effect.type === 'rollover.due') run = automatic(run, effect.conversation, effect.reason, now);
  }
  if (event.type === 'handoff') run = moved(run, event.transfer, event.event, now);
  if (event.type === 'cut_over') run = { ...run, state: withoutCutover(run.state, event.id) };
  if (event.type === 'actuation') run = ofAgents(run, event, now);
  if (event.type === 'turn_accepted' || event.type === 'turn_ended') run = seenAt(run, event.from.page, now);
  if (event.type === 'turn_accepted' && event.submitted !== 'extension') run = wentOn(run, event.from.page, now);
  const look = LOOKS[event.type];
  if (look !== undefined) {
    for (const id of Object.keys(run.state.transfers)) run = moved(run, id, { type: look }, now);
    if (event.type !== 'here' && event.type !== 'page') run = confirming(run, event.type === 'started', now);
  }
  return run.state === done.state && run.effects.length === done.effects.length ? done : { ...done, ...run };
}

const LOOKS: Partial<Record<Event['type'], 'look' | 'restarted'>> = {
  started: 'restarted',
  hello: 'look',
  tick: 'look',
  here: 'look',
  page: 'look',
};

interface Run {
  state: State;
  effects: Effect[];
}

/** The one press: begins a handoff, or looks again for one that is in doubt. */
export function pressHandoff(state: State, event: Extract<Event, { type: 'action' }>, now: number): Step {
  const { page, tab } = event.from;
  const running = transferOf(state, page);
  if (running !== undefined) {
    if (running.phase !== 'uncertain') return refuse(state, 'transfer_active');
    return { ...moved({ state, effects: [] }, running.id, { type: 'resumed' }, now), reply: DONE };
  }
  const why = startObjection(state, page, tab, event.fresh);
  if (why !== null) return refuse(state, why);
  const begun = start(state, page, tab, 'manual', event.id.replaceAll('-', ''), now);
  return { ...begun, reply: DONE };
}

const refuse = (state: State, reason: Reason): Step => ({ state, effects: [], reply: { ok: false, reason } });

/** By itself: only from the chat that its Project's messages go to, and only with Auto. */
function automatic(run: Run, conversation: string, trigger: Exclude<Trigger, 'manual'>, now: number): Run {
  const { state } = run;
  const tab = tabOf(state, conversation, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  if (tab === null || page === undefined) return run;
  const elsewhere = conversationRows(Object.values(state.bindings), page).some(
    ({ target }) => target !== null && target.conversation !== conversation,
  );
  if (elsewhere || !autoOf(state, page).effective || startObjection(state, page, tab, null) !== null) return run;
  return joined(run, start(state, page, tab, trigger, hex32(`${conversation}\n${now}`), now));
}

/** Unique enough for a key that is only used after another one proved to be taken. */
const hex32 = (text: string): string =>
  ['a', 'b', 'c', 'd'].map((salt) => fnv1a(salt + text).padStart(8, '0')).join('');

function start(
  state: State,
  page: PageIdentity,
  tab: number,
  trigger: Trigger,
  random: string,
  now: number,
  more: Partial<Transfer> = {},
): Run {
  const rows = rowsOf(state, page);
  const conversation = page.conversation ?? '';
  const project = projectOf(page);
  const transfer: Transfer = {
    id: `ht:${now.toString(36)}:${random.slice(0, 12)}`,
    conversation,
    projectKey: project?.key ?? null,
    project,
    site: page.site,
    sourceUrl: page.url,
    sourceTab: tab,
    trigger,
    rows: rows.map(({ id, revision }) => ({ id, revision })),
    continuityId: rows[0]?.continuityId ?? null,
    phase: 'preparing',
    handoffId: null,
    spareId: `hh_${random.padEnd(32, '0').slice(0, 32)}`,
    message: null,
    workChainId: null,
    dispatch: null,
    target: null,
    seededAgain: false,
    reason: null,
    createdAt: now,
    since: now,
    askedAt: now,
    ...more,
  };
  const { [conversation]: _before, ...handed } = state.handed;
  const next = { ...state, handed, transfers: { ...state.transfers, [transfer.id]: transfer } };
  return { state: next, effects: asking(transfer, factsOf(next, transfer, now)).map(wrapped) };
}

/**
 * A local agent or a planner hands a chat over through the same service: the same rules, and the same cut-over. Its new
 * chat is looked for and moved to as if the button had been pressed.
 */
function ofAgents(run: Run, event: Extract<Event, { type: 'actuation' }>, now: number): Run {
  const { state } = run;
  if (event.event.type !== 'claimed' || event.event.command === null || event.event.command === 'unknown') {
    return told(run, event, now);
  }
  const { operation, message, source_url: source, dispatch_id: dispatch } = event.event.command;
  const meant = operation === 'session.create' && message !== null ? handoffIn(message) : null;
  if (meant === null || source === null || message === null) return run;
  const mine = isRunning(state, dispatch, meant.handoffId);
  const tab = tabOf(state, source, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  if (mine || tab === null || page === undefined || startObjection(state, page, tab, null) !== null) return run;
  const known = { phase: 'observing' as const, handoffId: meant.handoffId, message, dispatch };
  const { continuityId } = meant;
  return joined(run, start(state, page, tab, 'local_agent', hex32(dispatch), now, { ...known, continuityId }));
}

const isRunning = (state: State, dispatch: string, handoffId: string): boolean =>
  Object.values(state.transfers).some((one) => one.dispatch === dispatch || one.handoffId === handoffId);

/** Why an agent's handoff is not done: the same rules as for a person, and they are asked before anything is opened. */
export function handoffObjection(state: State, command: ActuationCommand): Reason | null {
  const { operation, message, source_url: source, dispatch_id: dispatch } = command;
  const meant = operation === 'session.create' && message !== null ? handoffIn(message) : null;
  if (meant === null || source === null || isRunning(state, dispatch, meant.handoffId)) return null;
  const tab = tabOf(state, source, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  return tab === null || page === undefined ? null : startObjection(state, page, tab, null);
}

/** A turn stands in the new chat: now its page can say whether it is ours. */
function seenAt(run: Run, { conversation }: Pick<PageIdentity, 'conversation'>, now: number): Run {
  const waiting = Object.values(run.state.transfers).find(
    ({ phase, target }) => phase === 'verifying' && target?.conversation === conversation,
  );
  return waiting === undefined ? run : moved(run, waiting.id, { type: 'restarted' }, now);
}

/**
 * A person writes on while a handoff is in doubt. In the source: the work stays there, and nothing waits for the doubt any
 * more, nor for a service that does not answer. In another chat of the same place: that may be the new one, and its page
 * can say so.
 */
function wentOn(run: Run, page: PageIdentity, now: number): Run {
  let next = run;
  for (const one of Object.values(run.state.transfers)) {
    const { id, phase, site, projectKey, conversation } = one;
    const silent = phase === 'delivering' && now - one.since >= DELIVER_MS;
    if (page.conversation === conversation && (phase === 'uncertain' || silent)) {
      const target = one.target?.conversation ?? null;
      const given = { as: 'failed' as const, reason: 'delivery_uncertain' as const, copy: null, target, at: now };
      next = { ...next, state: over(next.state, one, given) };
    } else if (phase === 'uncertain' && site === page.site && projectKey === (projectOf(page)?.key ?? null)) {
      next = moved(next, id, { type: 'resumed' }, now);
    }
  }
  return next;
}

/** This browser has told what it saw: the handoff that waits for it looks at once. */
function told(run: Run, event: Extract<Event, { type: 'actuation' }>, now: number): Run {
  if (event.event.type !== 'reported' || event.event.answer !== 'told' || event.dispatch === undefined) return run;
  const waiting = Object.values(run.state.transfers).find(({ dispatch }) => dispatch === event.dispatch);
  if (waiting === undefined) return run;
  const asked = { ...waiting, askedAt: now };
  return {
    state: { ...run.state, transfers: { ...run.state.transfers, [waiting.id]: asked } },
    effects: [...run.effects, ...asking(asked, factsOf(run.state, asked, now)).map(wrapped)],
  };
}

const joined = (run: Run, more: Run): Run => ({ state: more.state, effects: [...run.effects, ...more.effects] });
const wrapped = (wants: HandoffEffect): Effect => ({ type: 'hand_over', wants });

function moved(run: Run, id: string, event: HandoffEvent, now: number): Run {
  const known = run.state.transfers[id];
  if (known === undefined) return run;
  if (known.phase === 'preparing' && isTakenBack(run.state, known)) {
    const stopped = { as: 'failed' as const, reason: 'auto_off' as const, copy: null, target: null, at: now };
    return { ...run, state: over(run.state, known, stopped) };
  }
  const { transfer, effects, ended } = handoff(known, event, factsOf(run.state, known, now));
  const wanted = [...run.effects, ...effects.map(wrapped)];
  const kept = transfer === known ? run.state : withTransfer(run.state, transfer);
  if (ended === null) return { state: kept, effects: wanted };
  if (ended.as === 'failed') {
    const copy = ended.copy ? transfer.message : null;
    return {
      state: over(kept, transfer, { as: 'failed', reason: ended.reason, copy, target: null, at: now }),
      effects: wanted,
    };
  }
  const cut = cutOver(kept, transfer, ended.message, now);
  if (cut.kind === 'later') return { state: kept, effects: wanted };
  if (cut.kind === 'refused') {
    // The new chat has the message: it is never offered again, and the source stays the place.
    const target = transfer.target?.conversation ?? null;
    return {
      state: over(kept, transfer, { as: 'failed', reason: cut.reason, copy: null, target, at: now }),
      effects: wanted,
    };
  }
  const target = cut.cutover.targetConversation;
  const settled = over(cut.state, transfer, { as: 'committed', reason: null, copy: null, target, at: now });
  const on = advance(settled, target, now);
  return {
    state: on.state,
    effects: [
      ...wanted,
      { type: 'cut_over', cutover: cut.cutover },
      { type: 'retire_tab', tab: transfer.sourceTab, conversation: transfer.conversation },
      ...on.effects,
    ],
  };
}

function factsOf(state: State, transfer: Transfer, now: number): HandoffFacts {
  const { conversation: source, site, projectKey, target } = transfer;
  const candidates = Object.entries(state.tabs).flatMap(([id, { page }]) => {
    const { conversation } = page;
    const same = page.site === site && (projectOf(page)?.key ?? null) === projectKey;
    return conversation === null || conversation === source || !same ? [] : [{ tab: Number(id), conversation }];
  });
  return { now, targetTab: target === null ? null : tabOf(state, target.conversation, target.tab), candidates };
}

const withTransfer = (state: State, transfer: Transfer): State => ({
  ...state,
  transfers: { ...state.transfers, [transfer.id]: transfer },
});

function over(state: State, transfer: Transfer, handed: Handed): State {
  const { [transfer.id]: _over, ...transfers } = state.transfers;
  const all = Object.entries({ ...state.handed, [transfer.conversation]: handed });
  const kept = all.sort(([, a], [, b]) => b.at - a.at).slice(0, HANDED_KEPT);
  return { ...state, transfers, handed: Object.fromEntries(kept) };
}

/** The runtime has not confirmed yet what was moved: it is told again, which is harmless. */
function confirming({ state, effects }: Run, restarted: boolean, now: number): Run {
  const due = Object.values(state.cutovers).filter(({ askedAt }) => restarted || now - askedAt >= CONFIRM_AGAIN_MS);
  if (due.length === 0 || state.link !== 'connected') return { state, effects };
  const asked = Object.fromEntries(due.map((one) => [one.id, { ...one, askedAt: now }]));
  return {
    state: { ...state, cutovers: { ...state.cutovers, ...asked } },
    effects: [...effects, ...due.map((cutover) => ({ type: 'cut_over' as const, cutover }))],
  };
}

/** A runtime that was away is back within. */
const CONFIRM_AGAIN_MS = 20_000;

function withoutCutover(state: State, id: string): State {
  const { [id]: gone, ...cutovers } = state.cutovers;
  return gone === undefined ? state : { ...state, cutovers };
}
