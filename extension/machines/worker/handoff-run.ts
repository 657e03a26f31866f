/** One handoff in the worker's state: how it begins, one event for it, and the one write in which it ends. Pure. */
import { fnv1a } from '../../fnv.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import { POLICIES } from '../../policy.ts';
import {
  asking,
  HANDED_KEPT,
  type Handed,
  type HandoffEffect,
  type HandoffEvent,
  type HandoffFacts,
  handoff,
  requestOf,
  type Transfer,
  type Trigger,
} from '../handoff/index.ts';
import { cutOver } from './cut-over.ts';
import type { Effect } from './events.ts';
import { isTakenBack, rowsOf } from './handoff-guards.ts';
import { plan } from './message.ts';
import { advance } from './plan.ts';
import { tabOf } from './ready.ts';
import { isOpen, type State } from './state.ts';

export interface Run {
  state: State;
  effects: Effect[];
}

export const joined = (run: Run, more: Run): Run => ({ state: more.state, effects: [...run.effects, ...more.effects] });
export const wrapped = (wants: HandoffEffect): Effect => ({ type: 'hand_over', wants });

/** Unique enough for a key that is only used after another one proved to be taken. */
export const hex32 = (text: string): string =>
  ['a', 'b', 'c', 'd'].map((salt) => fnv1a(salt + text).padStart(8, '0')).join('');

export function start(
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
  const summary = POLICIES[page.site].handoff === 'summary';
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
    phase: summary ? 'summarising' : 'preparing',
    words: summary ? 'summary' : 'chain',
    requestedAt: null,
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
  if (transfer.phase === 'summarising') return asksForSummary(next, transfer, now);
  return { state: next, effects: asking(transfer, factsOf(next, transfer, now)).map(wrapped) };
}

/** The one message that asks the source to sum itself up; written down with the handoff, and never a second one. */
function asksForSummary(state: State, { id, conversation }: Transfer, now: number): Run {
  const given = { id: requestIdOf(id), kind: 'handoff' as const, conversation, text: requestOf(id), manual: true };
  const moved_ = advance(plan(state, given, now), conversation, now, true);
  return { state: moved_.state, effects: [...moved_.effects] };
}

const requestIdOf = (transfer: string): string => `handoff:${transfer}`;

/** What has become of the messages that ask for a summary. */
export function requests(run: Run, now: number): Run {
  let next = run;
  for (const { id, phase, words, requestedAt } of Object.values(run.state.transfers)) {
    if (phase !== 'summarising' || words !== 'summary' || requestedAt !== null) continue;
    const asked = next.state.deliveries[requestIdOf(id)];
    if (asked !== undefined && isOpen(asked)) continue;
    const as = asked?.state === 'sent' || asked?.state === 'blocked' ? asked.state : 'uncertain';
    next = moved(next, id, { type: 'requested', as, reason: asked?.reason ?? null }, now);
  }
  return next;
}

export function moved(run: Run, id: string, event: HandoffEvent, now: number): Run {
  const known = run.state.transfers[id];
  if (known === undefined) return run;
  if (known.phase === 'preparing' && isTakenBack(run.state, known)) {
    const stopped = { as: 'failed' as const, reason: 'auto_off' as const, copy: null, target: null, at: now };
    return { ...run, state: over(run.state, known, stopped) };
  }
  const { transfer, effects, ended } = handoff(known, event, factsOf(run.state, known, now));
  const kept = transfer === known ? run.state : withTransfer(run.state, transfer);
  // The new chat has just become known, and its page may be open already.
  const learnt = transfer.phase === 'verifying' && known.target === null && effects.length === 0;
  const more = learnt ? asking(transfer, factsOf(kept, transfer, now)) : [];
  const wanted = [...run.effects, ...[...effects, ...more].map(wrapped)];
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

export function factsOf(state: State, transfer: Transfer, now: number): HandoffFacts {
  const { conversation: source, site, projectKey, target } = transfer;
  const candidates = Object.entries(state.tabs).flatMap(([id, { page }]) => {
    const { conversation } = page;
    const same = page.site === site && (projectOf(page)?.key ?? null) === projectKey;
    return conversation === null || conversation === source || !same ? [] : [{ tab: Number(id), conversation }];
  });
  const sourceTab = tabOf(state, source, transfer.sourceTab);
  const sourceBusy = sourceTab === null ? null : (state.tabs[sourceTab]?.state.busy ?? null);
  const targetTab = target === null ? null : tabOf(state, target.conversation, target.tab);
  return { now, sourceTab, sourceBusy, targetTab, candidates };
}

const withTransfer = (state: State, transfer: Transfer): State => ({
  ...state,
  transfers: { ...state.transfers, [transfer.id]: transfer },
});

export function over(state: State, transfer: Transfer, handed: Handed): State {
  const { [transfer.id]: _over, ...transfers } = state.transfers;
  const all = Object.entries({ ...state.handed, [transfer.conversation]: handed });
  const kept = all.sort(([, a], [, b]) => b.at - a.at).slice(0, HANDED_KEPT);
  return { ...state, transfers, handed: Object.fromEntries(kept) };
}
