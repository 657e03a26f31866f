/** Every state that recovery can come to, with every event that can happen to it, under every circumstance. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Context,
  NO_RECOVERY,
  type Recovery,
  type RecoveryEffect,
  type RecoveryEvent,
  recoverChat,
} from '../../../extension/machines/recovery/index.ts';
import { verifies } from '../../verifies.ts';
import { AT, CHAT, context, PAGES, SERVERS } from './looks.ts';

const TABS = [
  { tab: 1, document: 'd1' },
  { tab: 1, document: 'd2' },
  { tab: 2, document: 'e1' },
] as const;

type Named = { name: string; event: (recovery: Recovery) => RecoveryEvent };

const EVENTS: readonly Named[] = [
  ...TABS.flatMap(({ tab, document }) =>
    Object.entries(PAGES).flatMap(([shown, evidence]): Named[] => [
      { name: `${document} sees ${shown}`, event: () => ({ type: 'evidence', tab, document, evidence }) },
      ...Object.entries(document === 'd1' ? SERVERS : {}).map(
        ([said, server]): Named => ({
          name: `${document} sees ${shown}, server ${said}`,
          event: () => ({ type: 'examined', tab, document, evidence, server }),
        }),
      ),
    ]),
  ),
  ...(['done', 'gone', 'user_typing', 'nothing_to_recover'] as const).map(
    (answer): Named => ({
      name: `answered ${answer}`,
      event: ({ chats }) => ({ type: 'answered', id: chats[CHAT]?.order?.id ?? 'none', answer }),
    }),
  ),
  {
    name: 'declined after it had agreed',
    event: ({ chats }) => ({ type: 'declined', id: chats[CHAT]?.order?.id ?? 'none', reason: 'user_typing' }),
  },
  { name: 'declined about another order', event: () => ({ type: 'declined', id: 'other', reason: 'user_typing' }) },
  { name: 'answered about another order', event: () => ({ type: 'answered', id: 'other', answer: 'done' }) },
  { name: 'pressed', event: () => ({ type: 'pressed', tab: 1, document: 'd1' }) },
  { name: 'a new turn', event: ({ chats }) => ({ type: 'turn', id: `${chats[CHAT]?.turn?.id}+`, hash: 'other' }) },
  { name: 'the same turn again', event: () => ({ type: 'turn', id: 'u9', hash: 'h' }) },
  { name: 'time', event: () => ({ type: 'tick' }) },
];

const CIRCUMSTANCES: readonly Partial<Context>[] = [
  {},
  { auto: false },
  { doubtful: true },
  { transferring: true },
  { backingOff: true },
  { isOpen: () => false },
];
/** To the next moment that matters, far beyond all, and back. */
const LATER = [0, 6_000, 35_000, 200_000, -3_600_000];

interface Taken {
  before: Recovery;
  event: RecoveryEvent;
  around: Context;
  after: Recovery;
  effects: readonly RecoveryEffect[];
}

/** What must hold for every single step, whatever came before it. */
function holds({ before, event, around, after, effects }: Taken): string | null {
  const was = before.chats[CHAT];
  const is = after.chats[CHAT];
  const told = effects.find((effect) => effect.type === 'recover');
  const again = told !== undefined && was?.phase === 'ordered' && was.order?.id === told.order.id;
  if (effects.some(({ type }) => !['examine', 'recover', 'reload_tab'].includes(type))) return 'does something else';
  if (effects.length > 1) return 'does two things at once';
  if (is === undefined) return effects.length === 0 ? null : 'acts without a record';
  if (is.reloads > 1 || is.retries > 1 || is.reloads < 0 || is.retries < 0) return 'has spent more than there is';
  if (around.backingOff && effects.length > 0) return 'asks something of a site that refuses';
  if (told !== undefined) {
    if (is.phase !== 'ordered' || is.order?.id !== told.order.id) return 'acts before it is written down';
    const { act, level } = told.order;
    if (act === 'retry' && is.retries !== 1) return 'presses Retry unpaid';
    if (act === 'reload' && !level && is.reloads !== 1) return 'reloads unpaid';
    if (act === 'reload' && level && is.page.level1At === null) return 'takes the first level unpaid';
    if (event.type !== 'pressed' && !around.auto && !(again && told.order.byPerson))
      return 'acts by itself with Auto off';
    if (!again && event.type !== 'pressed' && event.type !== 'examined' && event.type !== 'evidence')
      return 'acts on something that is no evidence';
    if (!again && (event.type === 'examined' || event.type === 'evidence')) {
      const { error, draft, tool, card, delivering } = event.evidence;
      const server = event.type === 'examined' ? event.server : undefined;
      if (draft !== false || tool !== false || card || delivering) return 'acts in an unsafe page';
      if (around.transferring) return 'acts during a handover';
      const failure = error !== null && error.kind !== 'interrupted';
      const own = is.found === 'memory_pressure' || is.found === 'retry_failed';
      if (!own && server === undefined) return 'acts without having asked the server';
      if (!own && !failure && (server == null || server.view === 'unknown') && is.found !== 'render_stall')
        return 'acts on what nobody knows';
      if (around.doubtful && !failure && is.found !== 'retry_failed') return 'reloads over a message in doubt';
      if (act === 'retry' && (server?.current !== 'user' || !error?.retry))
        return 'presses Retry for what was accepted';
    }
  }
  if (effects[0]?.type === 'reload_tab') {
    if (event.type !== 'answered' || event.answer !== 'done') return 'reloads a tab that has not said that it may';
    if (is.page.level1At === null || is.page.tabAt !== around.now) return 'reloads a tab unpaid';
    if (!around.auto && !was?.order?.byPerson) return 'reloads a tab with Auto off';
  }
  return null;
}

describe('every state with every event', () => {
  it('keeps what recovery promises', { timeout: 120_000 }, () => {
    verifies('extension.recovery', 'extension.back-off');
    const broken = new Map<string, string>();
    // States that differ only in what is said of them, and when, are one here; each is met with times of its own below.
    const shapeOf = ({ chats }: Recovery) => {
      const health = chats[CHAT];
      if (health === undefined) return '';
      const { phase, act, tab, order, reloads, retries, page } = health;
      const levels = [page.fault, page.level1At !== null, page.level2At !== null];
      return JSON.stringify([phase, act, tab, reloads, retries, levels, order && [order.document, order.byPerson]]);
    };
    const seen = new Map<string, { recovery: Recovery; now: number }>([['', { recovery: NO_RECOVERY, now: AT }]]);
    let steps = 0;
    let pairs = 0;
    for (const { recovery: before, now } of seen.values()) {
      for (const { name, event } of EVENTS) {
        pairs += 1;
        for (const [at, circumstance] of CIRCUMSTANCES.entries()) {
          // Each pair under two of the circumstances, in turns; each state meets them all many times.
          if ((pairs + at) % 3 !== 0) continue;
          const around = context({ ...circumstance, now: now + (LATER[(steps + at) % LATER.length] ?? 0) });
          const given = event(before);
          const { recovery: after, effects } = recoverChat(before, CHAT, given, around);
          const against = holds({ before, event: given, around, after, effects });
          if (against !== null) broken.set(against, `${name} in ${JSON.stringify(before.chats[CHAT])}`);
          const shape = shapeOf(after);
          if (!seen.has(shape)) {
            seen.set(shape, { recovery: after, now: around.now });
            if (JSON.stringify(JSON.parse(JSON.stringify(after))) !== JSON.stringify(after))
              broken.set('is no plain JSON', name);
          }
          steps += 1;
        }
      }
    }
    expect([...broken]).toEqual([]);
    expect(new Set([...seen.values()].map(({ recovery }) => recovery.chats[CHAT]?.phase ?? 'well'))).toEqual(
      new Set(['well', 'suspect', 'held', 'offered', 'ordered', 'acted', 'exhausted']),
    );
  });

  it('spends one reload and one Retry a turn at most, however the clock jumps and whoever lies', () => {
    verifies('extension.recovery');
    const some = fc.record({
      event: fc.nat({ max: EVENTS.length - 1 }),
      around: fc.nat({ max: CIRCUMSTANCES.length - 1 }),
      ms: fc.oneof(fc.integer({ min: 0, max: 120_000 }), fc.constantFrom(-7_200_000, 7_200_000, 0)),
    });
    fc.assert(
      fc.property(fc.array(some, { minLength: 20, maxLength: 120 }), (walk) => {
        let recovery = NO_RECOVERY;
        let now = AT;
        const ordered = new Map<string, Set<string>>();
        const refused = new Set<string>();
        for (const { event, around, ms } of walk) {
          now += ms;
          const given = EVENTS[event]?.event(recovery) ?? { type: 'tick' };
          if (given.type === 'turn') continue;
          const order = recovery.chats[CHAT]?.order;
          if (given.type === 'answered' && order?.id === given.id && given.answer !== 'done' && given.answer !== 'gone')
            refused.add(order.id);
          if (given.type === 'declined' && order?.id === given.id && order.act === 'reload') refused.add(order.id);
          const done = recoverChat(recovery, CHAT, given, context({ ...CIRCUMSTANCES[around], now }));
          recovery = done.recovery;
          for (const effect of done.effects) {
            if (effect.type !== 'recover' || effect.order.act === 'tab') continue;
            const kind = `${effect.order.act}${effect.order.level ? ' level' : ''}`;
            ordered.set(kind, (ordered.get(kind) ?? new Set()).add(effect.order.id));
          }
        }
        for (const [kind, ids] of ordered) {
          const spent = [...ids].filter((id) => !refused.has(id)).length;
          // A page that was well for ten minutes may have its first level again.
          if (!kind.endsWith('level') && spent > 1) throw new Error(`${kind} was done ${spent} times`);
        }
      }),
      { numRuns: 300 },
    );
  });
});
