/**
 * Recovery inside the worker: its storage, its death between any two steps, and the page that is told. The page counts what
 * is done to it; nothing may be done twice, and nothing is ever typed.
 */
import { describe, expect, it } from 'vitest';
import { createLoop, type Loop } from '../../../extension/background/loop.ts';
import type { Area } from '../../../extension/background/store.ts';
import type { PageEvidence, ServerEvidence } from '../../../extension/health.ts';
import { type Effect, type Event, hudOf } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat as identity, QUIET } from '../worker/chat.ts';
import { world } from '../worker/world.ts';
import { PAGES, page, SERVERS } from './looks.ts';

class Stopped extends Error {}

interface Options {
  evidence: PageEvidence;
  server: ServerEvidence | null;
  /** What the page looks like after a reload, or after its Retry. */
  after?: Partial<PageEvidence>;
  auto?: boolean;
  /** The worker ends at this step; the storage fails from this write on, for so many writes. */
  dies?: number;
  fails?: { at: number; writes: number };
}

async function heal(options: Options, minutes = 4) {
  const stored = { local: new Map<string, string>(), session: new Map<string, string>() };
  const done = { reload: 0, retry: 0, tab: 0, other: [] as string[], acts: new Set<string>() };
  let evidence = options.evidence;
  let document = 1;
  let now = 1_764_500_000_000;
  let steps = 0;
  let writes = 0;
  let life = 0;
  let loop: Loop = start();
  const from = () => ({ tab: 7, document: `d${document}`, version: '1.0.0', page: identity() });

  /** A point between two steps: here the worker may end. */
  function point(mine: number): void {
    if (mine !== life) throw new Stopped();
    steps += 1;
    if (steps !== options.dies) return;
    loop = start();
    throw new Stopped();
  }

  function area(name: 'local' | 'session', mine: number): Area {
    return {
      async get(keys) {
        const found = keys.filter((key) => stored[name].has(key));
        return Object.fromEntries(found.map((key) => [key, JSON.parse(stored[name].get(key) ?? 'null')]));
      },
      async set(items) {
        point(mine);
        writes += 1;
        const { fails } = options;
        if (fails && writes >= fails.at && writes < fails.at + fails.writes) throw new Error('the disk is full');
        for (const [key, value] of Object.entries(items)) stored[name].set(key, JSON.stringify(value));
        point(mine);
      },
    };
  }

  function start(): Loop {
    life += 1;
    const mine = life;
    const parts = { nowMs: () => now, language: () => 'en' as const, changed: () => undefined };
    const waiting: Promise<void>[] = [];
    const made = createLoop({
      ...parts,
      local: area('local', mine),
      session: area('session', mine),
      perform: (effect) => void waiting.push(perform(effect, made, mine).catch(forgiven)),
    });
    return made;
  }

  async function perform(effect: Effect, own: Loop, mine: number): Promise<void> {
    point(mine);
    const take = async (event: Event) => {
      point(mine);
      await own.take(event);
    };
    if (effect.type === 'examine') return take({ type: 'examined', from: from(), evidence, server: options.server });
    if (effect.type === 'recover') {
      const { id, act } = effect.order;
      // As the page does it: once for each id in each document.
      if (act !== 'tab' && !done.acts.has(`${document}${id}`)) {
        done.acts.add(`${document}${id}`);
        done[act] += 1;
        if (act === 'reload') load();
        else evidence = { ...evidence, ...options.after };
      }
      return take({ type: 'recovered', conversation: CHAT, id, answer: 'done' });
    }
    if (effect.type === 'reload_tab') {
      done.tab += 1;
      return load();
    }
    if (effect.type === 'deliver') done.other.push(effect.type);
  }

  function load(): void {
    document += 1;
    evidence = { ...evidence, ...options.after, loadedMs: 60_000 };
  }

  /** A page asks again until somebody answers. */
  async function tell(event: Event): Promise<void> {
    for (let tried = 0; tried < 5; tried += 1) {
      const reply = await loop.take(event).catch(forgiven);
      if (reply?.ok) return;
    }
  }
  function forgiven(error: unknown): undefined {
    if (!(error instanceof Stopped)) throw error;
  }
  const rest = async () => {
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
    await loop.state();
  };

  await tell({ type: 'link', status: 'connected' });
  await tell({ type: 'here', from: from(), state: QUIET });
  if (options.auto ?? true)
    await tell({ type: 'action', from: from(), action: { name: 'auto', on: true }, id: 'a', fresh: null });
  for (let at = 0; at < minutes * 60; at += 5) {
    now += 5_000;
    if (at % 30 === 0) await tell({ type: 'tick' });
    await tell({ type: 'link', status: 'connected' });
    await tell({ type: 'here', from: from(), state: QUIET });
    await loop.take({ type: 'health', from: from(), evidence }).catch(forgiven);
    await rest();
  }
  const state = await loop.state();
  return { done, steps, writes, state, hud: hudOf(state, identity(), 7, 'en') };
}

const broken = PAGES['an error with Retry'] ?? page();
const HEALED = page({ loadedMs: 60_000 });

const CASES: readonly [what: string, options: Options][] = [
  ['a Retry that heals', { evidence: broken, server: SERVERS['not accepted'] ?? null, after: HEALED }],
  ['a Retry and a reload that heal nothing', { evidence: broken, server: SERVERS['not accepted'] ?? null }],
  ['a reload that heals', { evidence: broken, server: SERVERS['ahead'] ?? null, after: HEALED }],
  ['a reload after which it is the same', { evidence: broken, server: null }],
  [
    'a page that is full, whatever is done',
    { evidence: page({ heap: { level: 'critical', forMs: 200_000 } }), server: null },
  ],
];

describe.each(CASES)('%s', (_, options) => {
  it('is done once, and the bar says what was done', async () => {
    verifies('extension.recovery');
    const { done, hud, state } = await heal(options);
    expect(done.reload).toBeLessThanOrEqual(1);
    expect(done.retry).toBeLessThanOrEqual(1);
    expect(done.tab).toBeLessThanOrEqual(1);
    expect(done.reload + done.retry).toBeGreaterThan(0);
    expect(done.other).toEqual([]);
    expect(state.deliveries).toEqual({});
    if (options.after === undefined) expect(hud.recovery).toMatchObject({ phase: 'exhausted' });
    else expect(hud.recovery).toBeNull();
  });

  it('is done at most once when the worker dies between any two steps, before or after it was written down', async () => {
    verifies('extension.recovery');
    const { steps } = await heal(options);
    expect(steps).toBeGreaterThan(10);
    let undone = 0;
    for (let dies = 1; dies <= steps; dies += 1) {
      const { done, hud } = await heal({ ...options, dies });
      expect(done.reload, `step ${dies}`).toBeLessThanOrEqual(1);
      expect(done.retry, `step ${dies}`).toBeLessThanOrEqual(1);
      expect(done.tab, `step ${dies}`).toBeLessThanOrEqual(1);
      if (done.reload + done.retry === 0) undone += 1;
      if (options.after === undefined && hud.auto.on)
        expect(hud.recovery, `step ${dies}`).toMatchObject({ phase: 'exhausted' });
    }
    // Only a worker that died over the press of Auto itself leaves everything to a person.
    expect(undone).toBeLessThanOrEqual(2);
  });

  it('is not done while it cannot be written down', async () => {
    verifies('extension.recovery');
    const { writes } = await heal(options);
    for (let at = 1; at <= writes; at += 1) {
      const { done } = await heal({ ...options, fails: { at, writes: 1 } });
      expect([done.reload <= 1, done.retry <= 1, done.tab <= 1], `write ${at}`).toEqual([true, true, true]);
    }
    const never = await heal({ ...options, fails: { at: 4, writes: 10_000 } });
    expect(never.done).toMatchObject({ reload: 0, retry: 0, tab: 0 });
  });
});

describe('with Auto off', () => {
  it('nothing is done, and the bar offers the one step', async () => {
    verifies('extension.recovery');
    const { done, hud } = await heal({ evidence: broken, server: SERVERS['ahead'] ?? null, auto: false });
    expect(done).toMatchObject({ reload: 0, retry: 0, tab: 0 });
    expect(hud.recovery).toMatchObject({ phase: 'offered', act: 'reload', found: 'server_ahead' });
    expect(hud.actions.recover).toBeNull();
  });
});

describe('while the site refuses', () => {
  async function refusing() {
    const it = world();
    await it.begin();
    await it.bind();
    await it.press({ name: 'auto', on: true });
    await it.agent('w1:p1', 'working', 1);
    await it.take({ type: 'site_refused', from: it.from() });
    return it;
  }

  it('nothing automatic is sent; what a person presses is; and the wake goes out once it is over', async () => {
    verifies('extension.recovery', 'extension.wake');
    const it = await refusing();
    await it.agent('w1:p1', 'done', 2);
    await it.queue('kept words');
    await it.tick(5_000);
    expect(it.turns).toEqual([]);
    expect((await it.hud()).rateLimitedUntil).toBe(it.now() - 5_000 + 30_000);
    for (let turn = 0; turn < 3; turn += 1) await it.tick(15_000);
    expect(it.turns).toEqual(['kept words']);
    expect((await it.hud()).rateLimitedUntil).toBeNull();
    await it.turnEnded();
    await it.tick();
    expect(it.turns).toHaveLength(2);
  });

  it('a person may still go on by hand', async () => {
    verifies('extension.queue');
    const it = await refusing();
    await it.press({ name: 'auto', on: false });
    expect(await it.press({ name: 'continue' })).toMatchObject({ ok: true });
    expect(it.turns).toHaveLength(1);
    const queued = await refusing();
    await queued.queue('mine');
    expect(queued.turns).toEqual([]);
    await queued.take({ type: 'queue_flush', from: queued.from() });
    expect(queued.turns).toEqual(['mine']);
  });

  it('a wake that a page holds already gets no leave to be submitted', async () => {
    const it = world();
    await it.begin();
    await it.bind();
    await it.press({ name: 'auto', on: true });
    const state = await it.state();
    const [row] = Object.values(state.bindings);
    expect(row).toBeDefined();
    await it.take({ type: 'site_refused', from: it.from() });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns).toEqual([]);
    expect(it.composer()).toBe('');
  });
});
