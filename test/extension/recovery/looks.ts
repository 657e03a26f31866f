/** Evidence of pages and of servers, by name, for the tables of recovery. */
import type { PageEvidence, ServerEvidence } from '../../../extension/health.ts';
import {
  type Context,
  NO_RECOVERY,
  type Recovery,
  type RecoveryEvent,
  recoverChat,
} from '../../../extension/machines/recovery/index.ts';

export const CHAT = 'https://chatgpt.com/c/1';

export const FINE: PageEvidence = {
  error: null,
  pending: false,
  streaming: false,
  tool: false,
  card: false,
  draft: false,
  delivering: false,
  stillMs: 600_000,
  turnMs: null,
  actedMs: null,
  loadedMs: 600_000,
  confirmed: true,
  ui: { level: 'ok', forMs: 600_000 },
  heap: { level: 'ok', forMs: 600_000 },
};

export const page = (part: Partial<PageEvidence> = {}): PageEvidence => ({ ...FINE, ...part });
const failed = (kind: 'send_timeout' | 'thread_error' | 'interrupted', retry: boolean) => ({
  kind,
  retry,
  shownMs: 30_000,
});

/** Every kind of page that the machine tells apart. */
export const PAGES: Readonly<Record<string, PageEvidence>> = {
  fine: FINE,
  growing: page({ pending: true, streaming: true, stillMs: 500, confirmed: false, turnMs: 20_000 }),
  'just loaded, still broken': page({ error: failed('thread_error', true), loadedMs: 3_000 }),
  'an error with Retry': page({ error: failed('thread_error', true), pending: true }),
  'an error without Retry': page({ error: failed('thread_error', false), pending: true }),
  'an error that has just come': page({ error: { kind: 'thread_error', retry: true, shownMs: 100 }, pending: true }),
  'a send time-out with Retry': page({ error: failed('send_timeout', true), pending: true }),
  'a send time-out without Retry': page({ error: failed('send_timeout', false), pending: true, streaming: true }),
  'a cut answer': page({ error: failed('interrupted', false), pending: true, streaming: true, confirmed: false }),
  'an answer that was cut a moment ago': page({ error: failed('interrupted', false), stillMs: 4_000 }),
  'a still answer, 40 s': page({ pending: true, streaming: true, stillMs: 40_000, confirmed: false }),
  'a still answer, 70 s, no stream': page({
    pending: true,
    streaming: false,
    stillMs: 70_000,
    turnMs: 80_000,
    confirmed: false,
  }),
  'a question of yesterday': page({ pending: true, streaming: false, stillMs: 400_000, confirmed: false }),
  'a still answer, 100 s': page({ pending: true, streaming: true, stillMs: 100_000, confirmed: false }),
  'reports finished, not confirmed': page({ stillMs: 65_000, turnMs: 80_000, confirmed: false }),
  'stalled and too busy': page({
    pending: true,
    streaming: true,
    stillMs: 100_000,
    ui: { level: 'high', forMs: 60_000 },
  }),
  'full of memory': page({ heap: { level: 'critical', forMs: 90_000 } }),
  unreadable: page({ streaming: null, tool: null, draft: null, error: failed('thread_error', true) }),
  'an error, a draft': page({ error: failed('thread_error', true), draft: true }),
  'an error, a tool': page({ error: failed('thread_error', true), tool: true }),
  'an error, a card': page({ error: failed('thread_error', true), card: true }),
  'an error, a delivery': page({ error: failed('send_timeout', true), delivering: true }),
};

export const SERVERS: Readonly<Record<string, ServerEvidence | null>> = {
  silent: null,
  odd: { view: 'unknown', current: 'unknown', finished: 'unknown' },
  'not accepted': { view: 'same', current: 'user', finished: 'unknown' },
  ahead: { view: 'ahead', current: 'assistant', finished: 'finished' },
  'ahead, still writing': { view: 'ahead', current: 'assistant', finished: 'unfinished' },
  stalled: { view: 'same', current: 'assistant', finished: 'unfinished' },
  synced: { view: 'same', current: 'assistant', finished: 'finished' },
  'a lie': { view: 'ahead', current: 'user', finished: 'finished' },
};

export const AT = 1_764_500_000_000;

export const context = (part: Partial<Context> = {}): Context => ({
  now: AT,
  auto: true,
  doubtful: false,
  transferring: false,
  backingOff: false,
  isOpen: () => true,
  ...part,
});

/** One conversation, event by event, with a clock. */
export function chat(part: Partial<Context> = {}) {
  let recovery: Recovery = NO_RECOVERY;
  let now = AT;
  let at = part;
  const it = {
    given(next: Partial<Context>) {
      at = { ...at, ...next };
      return it;
    },
    wait(ms: number) {
      now += ms;
      return it;
    },
    take(event: RecoveryEvent) {
      const advised = recoverChat(recovery, CHAT, event, context({ ...at, now }));
      recovery = advised.recovery;
      return advised;
    },
    see(evidence: PageEvidence, document = 'd1', tab = 1) {
      return it.take({ type: 'evidence', tab, document, evidence });
    },
    /** Looks, lets the server be asked, and looks with its answer. */
    learn(evidence: PageEvidence, server: ServerEvidence | null | undefined, document = 'd1', tab = 1) {
      const seen = it.see(evidence, document, tab);
      if (server === undefined || seen.effects[0]?.type !== 'examine') return seen;
      return it.take({ type: 'examined', tab, document, evidence, server });
    },
    answer(answer: Extract<RecoveryEvent, { type: 'answered' }>['answer']) {
      return it.take({ type: 'answered', id: it.health().order?.id ?? 'none', answer });
    },
    health() {
      const health = recovery.chats[CHAT];
      if (!health) throw new Error('nothing is known of this chat');
      return health;
    },
    recovery: () => recovery,
    now: () => now,
  };
  return it;
}
