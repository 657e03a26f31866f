/** The page's own two levels, the pause that a refusing site gets, and what both are measured by. */
import { describe, expect, it } from 'vitest';
import type { Found, PageEvidence } from '../../../extension/health.ts';
import {
  backOffUntil,
  heapLevel,
  isBackingOff,
  NO_RECOVERY,
  NOTHING_COUNTED,
  refused,
  uiLevel,
  withoutOver,
} from '../../../extension/machines/recovery/index.ts';
import { verifies } from '../../verifies.ts';
import { AT, chat, page, SERVERS } from './looks.ts';

const GIB = 1024 ** 3;
const FULL = page({ heap: { level: 'critical', forMs: 90_000 }, stillMs: 90_000 });
const HEAVY = page({
  pending: true,
  streaming: true,
  confirmed: false,
  stillMs: 65_000,
  ui: { level: 'high', forMs: 65_000 },
});
const SYNCED = SERVERS['synced'] ?? null;

/** Looks every 5 s for a while, with the server's answer when it is asked; what was ordered and reloaded. */
function watch(it: ReturnType<typeof chat>, evidence: PageEvidence, ms: number, document = 'd1', server = SYNCED) {
  const done = new Map<string, string>();
  for (let at = 0; at < ms; at += 5_000) {
    const { effects } = it.wait(5_000).learn(evidence, server, document);
    for (const effect of effects) if (effect.type === 'recover') done.set(effect.order.id, effect.order.act);
  }
  return [...done.values()];
}

describe.each([
  ['memory_pressure', FULL],
  ['render_stall', HEAVY],
] as const)('%s', (found: Found, evidence) => {
  it('is reloaded by the page once, then by the browser once, then no more', () => {
    verifies('extension.recovery', 'extension.page-health');
    const it = chat();
    expect(watch(it, evidence, 25_000)).toEqual([]);
    expect(watch(it, evidence, 30_000)).toEqual(['reload']);
    expect(it.health()).toMatchObject({ phase: 'ordered', found, reloads: 0 });
    it.answer('done');
    // The new document is left alone until it has stood for 30 s, and the fault has been there again for as long.
    expect(watch(it, { ...evidence, loadedMs: 20_000 }, 25_000, 'd2')).toEqual([]);
    expect(watch(it, { ...evidence, loadedMs: 95_000 }, 55_000, 'd2')).toEqual(['tab']);
    expect(it.health().page.level2At).toBeNull();
    const { effects } = it.answer('done');
    expect(effects).toEqual([{ type: 'reload_tab', tab: 1 }]);
    expect(it.health().page).toMatchObject({ level2At: it.now(), tabAt: it.now() });
    expect(watch(it, { ...evidence, loadedMs: 95_000 }, 600_000, 'd3')).toEqual([]);
    expect(it.health()).toMatchObject({ phase: 'exhausted', found });
  });

  it('is only watched with Auto off, and then offered', () => {
    const it = chat({ auto: false });
    expect(watch(it, evidence, 120_000)).toEqual([]);
    expect(it.health()).toMatchObject({ phase: 'offered', act: 'reload' });
  });

  it.each([
    ['a draft', { draft: true }],
    ['a tool', { tool: true }],
    ['a card', { card: true }],
    ['a message of ours', { delivering: true }],
  ] as const)('waits for %s', (_, part) => {
    verifies('extension.page-health');
    const it = chat();
    expect(watch(it, { ...evidence, ...part }, 300_000)).toEqual([]);
    expect(
      Object.values(it.recovery().chats)
        .map(({ page: own }) => own.level1At)
        .filter((at) => at !== null),
    ).toEqual([]);
  });

  it('of a moment is none, whatever the clock says', () => {
    verifies('extension.page-health');
    const it = chat();
    const spike = { ...evidence, ui: { ...evidence.ui, forMs: 1_000 }, heap: { ...evidence.heap, forMs: 1_000 } };
    it.learn(spike, SYNCED);
    it.wait(24 * 60 * 60_000);
    const { effects } = it.learn(spike, SYNCED);
    expect(effects.filter(({ type }) => type === 'recover')).toEqual([]);
    it.wait(-48 * 60 * 60_000);
    expect(it.learn(spike, SYNCED).effects.filter(({ type }) => type === 'recover')).toEqual([]);
  });
});

describe('a page that renders nothing', () => {
  it('is not reloaded for its weight while the server still writes, or cannot be asked', () => {
    verifies('extension.recovery', 'extension.page-health');
    for (const server of [null, SERVERS['stalled'] ?? null]) {
      const it = chat();
      expect(watch(it, HEAVY, 300_000, 'd1', server)).toEqual([]);
      expect(it.health().page.level1At).toBeNull();
    }
  });

  it('and whose heap is full is ill only when nothing moves in it', () => {
    verifies('extension.page-health');
    for (const part of [{ stillMs: 2_000 }, { pending: true }, { streaming: true }]) {
      const it = chat();
      expect(
        watch(it, { ...FULL, confirmed: false, ...part }, 300_000, 'd1', SERVERS['stalled'] ?? null),
      ).not.toContain('tab');
      expect(it.recovery().chats['https://chatgpt.com/c/1']?.page.fault ?? null).toBeNull();
    }
  });

  it('and is only heavy is not ill', () => {
    verifies('extension.page-health');
    const it = chat();
    const { effects } = it.learn(page({ ui: { level: 'high', forMs: 600_000 } }), SYNCED);
    expect(effects).toEqual([]);
    expect(it.recovery().chats).toEqual({});
  });
});

describe('the browser’s reload of a tab', () => {
  const toSecond = () => {
    const it = chat();
    watch(it, FULL, 60_000);
    it.answer('done');
    watch(it, FULL, 100_000, 'd2');
    expect(it.health().order?.act).toBe('tab');
    return it;
  };

  it.each([
    ['the page’s word is older than 15 s', (it: ReturnType<typeof chat>) => it.wait(16_000)],
    ['Auto was switched off', (it: ReturnType<typeof chat>) => it.given({ auto: false })],
    ['the site refuses', (it: ReturnType<typeof chat>) => it.given({ backingOff: true })],
  ])('does not happen when %s meanwhile', (_, change) => {
    verifies('extension.page-health');
    const it = toSecond();
    change(it);
    expect(it.answer('done').effects).toEqual([]);
    expect(it.health().page.tabAt).toBeNull();
  });

  it('does not happen on the word of another order, or when the page refuses', () => {
    const it = toSecond();
    expect(it.take({ type: 'answered', id: 'other', answer: 'done' }).effects).toEqual([]);
    expect(it.answer('user_typing').effects).toEqual([]);
    expect(it.health()).toMatchObject({ phase: 'held', hold: 'user_typing' });
  });

  it('is not repeated by a worker that died after it was written down', () => {
    verifies('extension.recovery', 'extension.page-health');
    const it = toSecond();
    it.answer('done');
    // Nobody has reloaded it: the same document goes on, and its budget is spent.
    const { effects } = it.wait(5_000).see(FULL, 'd2');
    expect(effects).toEqual([]);
    expect(it.answer('done').effects).toEqual([]);
    expect(watch(it, FULL, 600_000, 'd2')).toEqual([]);
  });
});

describe('a page that was well for ten minutes', () => {
  it('has a new fault when it falls ill again', () => {
    const it = chat();
    watch(it, FULL, 60_000);
    it.answer('done');
    it.wait(30_000).see(page(), 'd2');
    expect(it.health()).toMatchObject({ phase: 'well' });
    it.wait(11 * 60_000);
    expect(watch(it, FULL, 60_000, 'd2')).toEqual(['reload']);
  });
});

describe('a site that answers 429', () => {
  const until = (times: readonly number[]) =>
    times.reduce((recovery, at) => refused(recovery, 'chatgpt', AT + at), NO_RECOVERY);

  it('is left alone for 30 s, 60 s, 120 s, and no longer', () => {
    verifies('extension.recovery', 'extension.back-off');
    const pauses = [[0], [0, 40_000], [0, 40_000, 110_000], [0, 40_000, 110_000, 240_000]].map((times) => {
      const last = times.at(-1) ?? 0;
      return (backOffUntil(until(times), 'chatgpt') ?? 0) - AT - last;
    });
    expect(pauses).toEqual([30_000, 60_000, 120_000, 120_000]);
  });

  it('counts once for what comes together, and begins anew after five quiet minutes', () => {
    expect(until([0, 2_000, 9_000]).backOff.chatgpt).toMatchObject({ count: 1, until: AT + 30_000 });
    expect(until([0, 40_000, 360_000]).backOff.chatgpt).toMatchObject({ count: 1, until: AT + 390_000 });
    const many = until(Array.from({ length: 30 }, (_, at) => at * 20_000));
    expect(many.backOff.chatgpt?.count).toBe(8);
  });

  it('is another site than the others', () => {
    expect(isBackingOff(until([0]), 'claude', AT + 1)).toBe(false);
  });

  it('may be asked again when that is over; a clock that was put back lengthens nothing', () => {
    const once = until([0]);
    expect(isBackingOff(once, 'chatgpt', AT + 29_999)).toBe(true);
    expect(isBackingOff(once, 'chatgpt', AT + 30_000)).toBe(false);
    expect(backOffUntil(withoutOver(once, AT + 30_000), 'chatgpt')).toBeNull();
    const back = withoutOver(once, AT - 3_600_000);
    expect(backOffUntil(back, 'chatgpt')).toBe(AT - 3_600_000 + 120_000);
    expect(withoutOver(back, AT - 3_600_000 + 1)).toBe(back);
  });
});

describe('how heavy a page is', () => {
  const minute = { ...NOTHING_COUNTED, ms: 60_000 };
  it.each([
    ['too short a sample', { ...NOTHING_COUNTED, ms: 14_000, mutations: 9_000 }, 'unknown'],
    ['quiet', minute, 'ok'],
    ['600 changes a minute', { ...minute, mutations: 600 }, 'warning'],
    ['2400 changes a minute', { ...minute, mutations: 2_400 }, 'high'],
    ['600 changes in 15 s', { ...NOTHING_COUNTED, ms: 15_000, mutations: 600 }, 'high'],
    ['300 looks a minute', { ...minute, looks: 300 }, 'warning'],
    ['900 looks a minute', { ...minute, looks: 900 }, 'high'],
    ['timers 100 ms late', { ...minute, driftMs: 100 }, 'ok'],
    ['timers 1.5 s late', { ...minute, driftMs: 1_500 }, 'warning'],
    ['timers 5 s late', { ...minute, driftMs: 5_000 }, 'high'],
    ['a task of 2 s', { ...minute, longTasks: 1, longestTaskMs: 2_000 }, 'warning'],
    ['four long tasks', { ...minute, longTasks: 4, longestTaskMs: 60 }, 'warning'],
    ['only long tasks, however many', { ...minute, longTasks: 400, longestTaskMs: 9_000 }, 'warning'],
  ] as const)('%s', (_, counted, level) => {
    verifies('extension.page-health');
    expect(uiLevel(counted)).toBe(level);
  });

  it.each([
    [null, 'unknown'],
    [{ used: Number.NaN, limit: 4 * GIB }, 'unknown'],
    [{ used: GIB / 2, limit: 4 * GIB }, 'ok'],
    [{ used: GIB, limit: 4 * GIB }, 'warning'],
    [{ used: 0.6 * GIB, limit: GIB }, 'warning'],
    [{ used: 1.5 * GIB, limit: 4 * GIB }, 'critical'],
    [{ used: 0.78 * GIB, limit: GIB }, 'critical'],
  ] as const)('a heap of %j', (memory, level) => expect(heapLevel(memory)).toBe(level));
});
