/** A transfer in each of its phases, and everything that can happen to it. */
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import type { HandoffEvent, HandoffFacts, Transfer } from '../../../extension/machines/handoff/index.ts';

export const SOURCE = 'https://chatgpt.com/c/11111111-aaaa';
export const TARGET = 'https://chatgpt.com/c/22222222-bbbb';
export const OTHER = 'https://chatgpt.com/c/33333333-cccc';
export const HANDOFF = `hh_${'1'.repeat(32)}`;
export const SPARE = `hh_${'2'.repeat(32)}`;
export const CHAIN = 'hc:1:abcdefgh';
export const BD = `bd_${'3'.repeat(64)}`;
export const NOW = 1_764_500_000_000;
export const messageOf = (id = HANDOFF, chain = CHAIN) =>
  `[HERDR_CONTINUITY_REF id=${id} continuity_id=${chain}]\n1. First call …\n[END_HERDR_CONTINUITY_REF]`;

const base: Transfer = {
  id: 'ht:1:a',
  conversation: SOURCE,
  projectKey: null,
  project: null,
  site: 'chatgpt',
  sourceUrl: SOURCE,
  sourceTab: 7,
  trigger: 'manual',
  rows: [{ id: 'r1', revision: 3 }],
  continuityId: CHAIN,
  phase: 'preparing',
  words: 'chain',
  requestedAt: null,
  handoffId: null,
  spareId: SPARE,
  message: null,
  workChainId: null,
  dispatch: null,
  target: null,
  seededAgain: false,
  reason: null,
  createdAt: NOW,
  since: NOW,
  askedAt: NOW,
};
const ready = { handoffId: HANDOFF, message: messageOf() };
const target = { conversation: TARGET, session: `br_${'4'.repeat(64)}`, tab: 8 };

export const TRANSFERS: Readonly<Record<string, Transfer>> = {
  preparing: base,
  preparingAgain: { ...base, handoffId: SPARE },
  delivering: { ...base, ...ready, phase: 'delivering' },
  summarising: { ...base, site: 'zai', phase: 'summarising', words: 'summary' },
  summaryAsked: { ...base, site: 'zai', phase: 'summarising', words: 'summary', requestedAt: NOW },
  lookingForPacket: { ...base, phase: 'summarising', words: 'packet', requestedAt: NOW },
  automatically: { ...base, trigger: 'context_pressure' },
  observing: { ...base, ...ready, phase: 'observing', dispatch: BD },
  observingAgain: { ...base, ...ready, phase: 'observing', dispatch: BD, target, seededAgain: true },
  verifying: { ...base, ...ready, phase: 'verifying', dispatch: BD, target },
  uncertain: { ...base, ...ready, phase: 'uncertain', dispatch: BD, reason: 'delivery_uncertain' },
  uncertainKnown: { ...base, ...ready, phase: 'uncertain', dispatch: BD, target, reason: 'no_tab' },
  uncertainAgain: { ...base, ...ready, phase: 'uncertain', dispatch: BD, target, seededAgain: true },
};

export const view = (more: Partial<DispatchView> = {}): DispatchView => ({
  dispatch_id: BD,
  operation: 'session.create',
  endpoint_ref: `bep_${'5'.repeat(32)}`,
  provider: 'chatgpt',
  account_ref: null,
  space_ref: null,
  session_ref: null,
  delivery_state: 'uncertain',
  execution_state: 'queued',
  reason: null,
  expected_generation: 1,
  canonical_url: null,
  tab_outcome: null,
  accepted_user_message_ref: null,
  result: null,
  work_chain_id: null,
  message_sha256: null,
  created_at_ms: NOW + 1,
  updated_at_ms: NOW + 1,
  ...more,
});
export const applied = view({ delivery_state: 'applied', canonical_url: TARGET, session_ref: target.session });
const delivered = (answer: Extract<HandoffEvent, { type: 'delivered' }>['answer']): HandoffEvent => ({
  type: 'delivered',
  answer,
});
const observed = (dispatch: Extract<HandoffEvent, { type: 'observed' }>['dispatch']): HandoffEvent => ({
  type: 'observed',
  dispatch,
});
const verified = (conversation: string, found: 'yes' | 'none' | 'unknown'): HandoffEvent => ({
  type: 'verified',
  conversation,
  found,
  message: found === 'yes' ? 'm1' : null,
});
const package_ = { handoffId: HANDOFF, continuityId: CHAIN, message: messageOf(), workChainId: null };

const asks = (id = base.id) => `Please write it.\n<<<HERDR_HANDOFF_V1 id=${id}>>>`;
export const packetOf = (words: string, id = base.id) =>
  `<<<HERDR_HANDOFF_V1 id=${id}>>>\n${words}\n<<<END_HERDR_HANDOFF_V1>>>`;
const summary = (user: string, answer: string): HandoffEvent => ({ type: 'summary', turn: { user, answer } });

export const EVENTS: Readonly<Record<string, HandoffEvent>> = {
  prepared: { type: 'prepared', answer: package_ },
  preparedRefused: { type: 'prepared', answer: 'refused' },
  preparedNobody: { type: 'prepared', answer: null },
  preparedOtherChain: {
    type: 'prepared',
    answer: { ...package_, continuityId: 'hc:9:other', message: messageOf(HANDOFF, 'hc:9:other') },
  },
  preparedUnmarked: { type: 'prepared', answer: { ...package_, message: 'Go on.' } },
  requested: { type: 'requested', as: 'sent', reason: null },
  requestedInDoubt: { type: 'requested', as: 'uncertain', reason: 'delivery_uncertain' },
  requestedNot: { type: 'requested', as: 'blocked', reason: 'user_typing' },
  summaryNone: { type: 'summary', turn: null },
  summary: summary(asks(), packetOf('Goal: it works')),
  summaryOfAnother: summary(asks('ht:0:old'), packetOf('Goal: it worked', 'ht:0:old')),
  summaryCut: summary(asks(), packetOf('Goal: it works').slice(0, -6)),
  summaryRefused: summary(asks(), 'I cannot do that.'),
  summaryUnasked: summary('What is next?', packetOf('Goal: it works')),
  unanswered: delivered({ kind: 'unanswered' }),
  busy: delivered({ kind: 'refused', busy: true }),
  refused: delivered({ kind: 'refused', busy: false }),
  nothing: delivered({ kind: 'nothing' }),
  named: delivered({ kind: 'named', dispatch: BD }),
  queued: delivered({ kind: 'dispatch', dispatch: view(), replayed: false }),
  deliveredApplied: delivered({ kind: 'dispatch', dispatch: applied, replayed: true }),
  deliveredEarlier: delivered({
    kind: 'dispatch',
    dispatch: { ...applied, created_at_ms: NOW - 120_000 },
    replayed: true,
  }),
  // The clock was put right by a second while the answer was lost: this is our own.
  deliveredByOldClock: delivered({
    kind: 'dispatch',
    dispatch: { ...applied, created_at_ms: NOW - 1_000 },
    replayed: true,
  }),
  deliveredBeforeInVain: delivered({
    kind: 'dispatch',
    dispatch: view({ delivery_state: 'rejected', created_at_ms: NOW - 1_000 }),
    replayed: true,
  }),
  deliveredOffline: delivered({
    kind: 'dispatch',
    dispatch: view({ delivery_state: 'browser_offline', execution_state: 'failed', reason: 'no_browser_took_it' }),
    replayed: false,
  }),
  observedNobody: observed(null),
  observedUnknown: observed('unknown'),
  observedQueued: observed(view()),
  observedUncertain: observed(view({ reason: 'no_session_seen', execution_state: 'submitted' })),
  observedUncertainThere: observed(view({ reason: 'generation_changed', canonical_url: TARGET })),
  observedApplied: observed(applied),
  observedAppliedNowhere: observed(view({ delivery_state: 'applied' })),
  observedAppliedHere: observed({ ...applied, canonical_url: SOURCE }),
  observedRejected: observed(view({ delivery_state: 'rejected', execution_state: 'failed', reason: 'user_typing' })),
  observedOther: observed({ ...applied, dispatch_id: `bd_${'9'.repeat(64)}` }),
  verifiedYes: verified(TARGET, 'yes'),
  verifiedNone: verified(TARGET, 'none'),
  verifiedUnknown: verified(TARGET, 'unknown'),
  verifiedElsewhere: verified(OTHER, 'yes'),
  verifiedOtherEmpty: verified(OTHER, 'none'),
  verifiedSource: verified(SOURCE, 'yes'),
  resumed: { type: 'resumed' },
  look: { type: 'look' },
  restarted: { type: 'restarted' },
};

export const FACTS: Readonly<Record<string, HandoffFacts>> = {
  soon: { now: NOW + 1_000, sourceTab: 7, sourceBusy: false, targetTab: 8, candidates: [] },
  later: {
    now: NOW + 30_000,
    sourceTab: 7,
    sourceBusy: false,
    targetTab: 8,
    candidates: [{ tab: 9, conversation: OTHER }],
  },
  closed: {
    now: NOW + 30_000,
    sourceTab: 7,
    sourceBusy: false,
    targetTab: null,
    candidates: [{ tab: 9, conversation: OTHER }],
  },
  long: { now: NOW + 600_000, sourceTab: 7, sourceBusy: false, targetTab: 8, candidates: [] },
  writing: { now: NOW + 90_000, sourceTab: 7, sourceBusy: true, targetTab: null, candidates: [] },
  sourceClosed: { now: NOW + 30_000, sourceTab: null, sourceBusy: null, targetTab: null, candidates: [] },
  clockBack: { now: NOW - 600_000, sourceTab: 7, sourceBusy: false, targetTab: null, candidates: [] },
};
