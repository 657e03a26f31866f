/** A handoff, from the press to the commit. Times are set back after each step: only the order of things is drawn. */
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { type HandoffEvent, handoff as step, type Transfer } from '../../extension/machines/handoff/index.ts';
import { CHAIN, HANDOFF, messageOf, packetOf, TARGET, TRANSFERS, view } from '../../test/extension/handoff/fixtures.ts';
import { explore } from './explore.ts';
import type { Picture } from './page.ts';

const MESSAGE = messageOf();
const FIRST: Transfer = {
  ...(TRANSFERS['preparing'] as Transfer),
  rows: [],
  continuityId: null,
  createdAt: 0,
  since: 0,
  askedAt: 0,
};

const dispatch = (more: Partial<DispatchView>): DispatchView =>
  view({ session_ref: 'br', execution_state: 'submitted', canonical_url: TARGET, created_at_ms: 1, ...more });

const given = (kind: 'delivered' | 'observed', seen: DispatchView): HandoffEvent =>
  kind === 'observed'
    ? { type: 'observed', dispatch: seen }
    : { type: 'delivered', answer: { kind: 'dispatch', dispatch: seen, replayed: false } };
const applied = dispatch({ delivery_state: 'applied' });
const undelivered = dispatch({ delivery_state: 'browser_offline', reason: 'no_browser_took_it' });
const seen = (found: 'yes' | 'none' | 'unknown'): HandoffEvent => ({
  type: 'verified',
  conversation: TARGET,
  found,
  message: null,
});
const prepared: HandoffEvent = {
  type: 'prepared',
  answer: { handoffId: HANDOFF, continuityId: CHAIN, message: MESSAGE, workChainId: null },
};

const ASKED: Transfer = { ...FIRST, site: 'zai', phase: 'summarising', words: 'summary' };
const packet = packetOf('Goal: it works', ASKED.id);

const EVENTS: readonly { on: string; event: HandoffEvent; after?: number }[] = [
  { on: 'message prepared', event: prepared },
  { on: 'no chain', event: { type: 'prepared', answer: 'refused' } },
  { on: 'summary asked for', event: { type: 'requested', as: 'sent', reason: null } },
  { on: 'could not be asked for', event: { type: 'requested', as: 'blocked', reason: 'user_typing' } },
  {
    on: 'summary written',
    event: { type: 'summary', turn: { user: packet, answer: packet } },
  },
  { on: 'taken', event: given('delivered', dispatch({ canonical_url: null })) },
  { on: 'refused', event: { type: 'delivered', answer: { kind: 'refused', busy: false } } },
  { on: 'answer without a result', event: { type: 'delivered', answer: { kind: 'nothing' } } },
  { on: 'another browser does it', event: { type: 'elsewhere', as: 'held' } },
  { on: 'another browser has done it', event: { type: 'elsewhere', as: 'sent' } },
  { on: 'another browser may have done it', event: { type: 'elsewhere', as: 'uncertain' } },
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
