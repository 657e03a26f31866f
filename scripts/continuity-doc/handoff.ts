/** A handoff, from the press to the commit. Times are set back after each step: only the order of things is drawn. */
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { type HandoffEvent, handoff as step, type Transfer } from '../../extension/machines/handoff/index.ts';
import { explore } from './explore.ts';
import type { Picture } from './page.ts';

const ID = `hh_${'1'.repeat(32)}`;
const NEW = 'https://chatgpt.com/c/the-new-one';
const MESSAGE = `[HERDR_CONTINUITY_REF id=${ID} continuity_id=hc:1]`;

const FIRST: Transfer = {
  id: 'ht:1',
  conversation: 'https://chatgpt.com/c/the-source',
  projectKey: null,
  project: null,
  site: 'chatgpt',
  sourceUrl: 'https://chatgpt.com/c/the-source',
  sourceTab: 1,
  trigger: 'manual',
  rows: [],
  continuityId: null,
  phase: 'preparing',
  words: 'chain',
  requestedAt: null,
  handoffId: null,
  spareId: ID,
  message: null,
  workChainId: null,
  dispatch: null,
  target: null,
  seededAgain: false,
  reason: null,
  createdAt: 0,
  since: 0,
  askedAt: 0,
};

const dispatch = (more: Partial<DispatchView>): DispatchView => ({
  dispatch_id: 'bd',
  operation: 'session.create',
  endpoint_ref: 'bep',
  provider: 'chatgpt',
  account_ref: null,
  space_ref: null,
  session_ref: 'br',
  delivery_state: 'uncertain',
  execution_state: 'submitted',
  reason: null,
  expected_generation: 1,
  canonical_url: NEW,
  accepted_user_message_ref: null,
  result: null,
  work_chain_id: null,
  message_sha256: null,
  created_at_ms: 1,
  updated_at_ms: 1,
  ...more,
});

const given = (kind: 'delivered' | 'observed', seen: DispatchView): HandoffEvent =>
  kind === 'observed'
    ? { type: 'observed', dispatch: seen }
    : { type: 'delivered', answer: { kind: 'dispatch', dispatch: seen, replayed: false } };
const applied = dispatch({ delivery_state: 'applied' });
const undelivered = dispatch({ delivery_state: 'browser_offline', reason: 'no_browser_took_it' });
const seen = (found: 'yes' | 'none' | 'unknown'): HandoffEvent => ({
  type: 'verified',
  conversation: NEW,
  found,
  message: null,
});
const prepared: HandoffEvent = {
  type: 'prepared',
  answer: { handoffId: ID, continuityId: 'hc:1', message: MESSAGE, workChainId: null },
};

const ASKED: Transfer = { ...FIRST, site: 'zai', phase: 'summarising', words: 'summary' };
const packet = `<<<HERDR_HANDOFF_V1 id=${ASKED.id}>>>`;

const EVENTS: readonly { on: string; event: HandoffEvent; after?: number }[] = [
  { on: 'message prepared', event: prepared },
  { on: 'no chain', event: { type: 'prepared', answer: 'refused' } },
  { on: 'summary asked for', event: { type: 'requested', as: 'sent', reason: null } },
  { on: 'could not be asked for', event: { type: 'requested', as: 'blocked', reason: 'user_typing' } },
  {
    on: 'summary written',
    event: { type: 'summary', turn: { user: packet, answer: `${packet}\nGoal: it works\n<<<END_HERDR_HANDOFF_V1>>>` } },
  },
  { on: 'taken', event: given('delivered', dispatch({ canonical_url: null })) },
  { on: 'refused', event: { type: 'delivered', answer: { kind: 'refused', busy: false } } },
  { on: 'answer without a result', event: { type: 'delivered', answer: { kind: 'nothing' } } },
  { on: 'proved undelivered', event: given('observed', undelivered) },
  { on: 'proved', event: given('observed', applied) },
  { on: 'in doubt', event: given('observed', dispatch({ reason: 'no_session_seen' })) },
  { on: 'mark seen', event: seen('yes') },
  { on: 'its server shows no turn', event: seen('none') },
  { on: 'time', event: { type: 'look' }, after: 1_000_000_000 },
];

const FACTS = (now: number) => ({ now, sourceTab: 1, sourceBusy: false, targetTab: 2, candidates: [] });

interface Drawn {
  transfer: Transfer;
  end: string | null;
}

export const handoff: Picture = {
  name: 'handoff',
  starts: ['preparing', 'summarising'],
  edges: () =>
    explore<Drawn, (typeof EVENTS)[number]>({
      starts: [FIRST, ASKED].map((transfer) => ({ transfer, end: null })),
      events: ({ end }) => (end === null ? EVENTS.map((one) => ({ on: one.on, event: one })) : []),
      step({ transfer }, { event, after = 0 }) {
        const { transfer: next, ended } = step(transfer, event, FACTS(after));
        const end = ended === null ? null : ended.as === 'verified' ? 'committed' : 'failed';
        return { transfer: { ...next, since: 0, askedAt: 0, requestedAt: next.requestedAt === null ? null : 0 }, end };
      },
      phase: ({ transfer, end }) => end ?? transfer.phase,
    }),
};
