/** What is done on which evidence: the tables of reference/extension.md 4.9 and 4.10. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { chat, PAGES, page, SERVERS } from './looks.ts';

const seen = (name: keyof typeof PAGES) => PAGES[name] ?? page();
const says = (name: keyof typeof SERVERS) => SERVERS[name] ?? null;

/** What becomes of a page by what its server says: the act that is ordered, or the phase that it stays in. */
const TABLE: readonly [page: string, server: string, becomes: string][] = [
  ['an error with Retry', 'not accepted', 'retry'],
  ['an error with Retry', 'ahead', 'reload'],
  ['an error with Retry', 'stalled', 'reload'],
  ['an error with Retry', 'synced', 'reload'],
  ['an error with Retry', 'silent', 'reload'],
  ['an error with Retry', 'odd', 'reload'],
  ['an error with Retry', 'a lie', 'reload'],
  ['an error without Retry', 'not accepted', 'reload'],
  ['a send time-out with Retry', 'not accepted', 'retry'],
  ['a send time-out with Retry', 'ahead', 'reload'],
  ['a send time-out without Retry', 'silent', 'reload'],
  ['a send time-out without Retry', 'not accepted', 'reload'],
  ['an error that has just come', 'not accepted', 'suspect'],
  ['a cut answer', 'ahead', 'reload'],
  ['a cut answer', 'stalled', 'reload'],
  ['a cut answer', 'synced', 'reload'],
  ['a cut answer', 'silent', 'suspect'],
  ['a cut answer', 'odd', 'suspect'],
  ['an answer that was cut a moment ago', 'ahead', 'suspect'],
  ['a still answer, 40 s', 'ahead', 'reload'],
  ['a still answer, 40 s', 'ahead, still writing', 'reload'],
  ['a still answer, 40 s', 'stalled', 'suspect'],
  ['a still answer, 40 s', 'synced', 'suspect'],
  ['a still answer, 40 s', 'not accepted', 'suspect'],
  ['a still answer, 40 s', 'silent', 'suspect'],
  ['a still answer, 70 s, no stream', 'stalled', 'reload'],
  ['a still answer, 70 s, no stream', 'not accepted', 'reload'],
  ['a still answer, 100 s', 'stalled', 'reload'],
  ['a still answer, 100 s', 'synced', 'reload'],
  ['a still answer, 100 s', 'odd', 'suspect'],
  ['a still answer, 100 s', 'silent', 'suspect'],
  ['reports finished, not confirmed', 'ahead, still writing', 'reload'],
  ['reports finished, not confirmed', 'ahead', 'reload'],
  ['reports finished, not confirmed', 'stalled', 'reload'],
  ['reports finished, not confirmed', 'synced', 'suspect'],
  ['reports finished, not confirmed', 'silent', 'suspect'],
  ['a question of yesterday', 'not accepted', 'well'],
  ['fine', 'ahead', 'well'],
  ['growing', 'ahead', 'well'],
  ['an error, a draft', 'ahead', 'held: user_typing'],
  ['an error, a tool', 'ahead', 'held: turn_in_progress'],
  ['an error, a card', 'ahead', 'held: card_waiting'],
  ['an error, a delivery', 'not accepted', 'held: wake_in_flight'],
  ['unreadable', 'ahead', 'held: page_unreadable'],
];

describe('with Auto on', () => {
  it.each(TABLE)('%s, and the server: %s → %s', (shown, server, becomes) => {
    verifies('extension.recovery');
    const it = chat();
    const { effects } = it.learn(seen(shown), says(server));
    const acts = effects.flatMap((effect) => (effect.type === 'recover' ? [effect.order.act] : []));
    const { phase = 'well', hold = null } = it.recovery().chats['https://chatgpt.com/c/1'] ?? {};
    const became = acts[0] ?? (phase === 'held' ? `held: ${hold}` : phase);
    expect(became).toBe(becomes);
    if (acts.length > 0) expect(phase).toBe('ordered');
  });
});

describe('with Auto off', () => {
  it.each(TABLE.filter(([, , becomes]) => becomes === 'reload' || becomes === 'retry'))(
    '%s, and the server: %s → %s is offered, and nothing is done until a person presses it',
    (shown, server, becomes) => {
      verifies('extension.recovery');
      const it = chat({ auto: false });
      expect(it.learn(seen(shown), says(server)).effects.filter(({ type }) => type !== 'examine')).toEqual([]);
      expect(it.health()).toMatchObject({ phase: 'offered', act: becomes, reloads: 0, retries: 0, reloadedAt: null });
      expect(it.wait(5_000).see(seen(shown)).effects).toEqual([]);
      const pressed = it.take({ type: 'pressed', tab: 1, document: 'd1' });
      expect(pressed.refused).toBeNull();
      expect(pressed.effects).toMatchObject([{ type: 'recover', order: { act: becomes } }]);
      // Once: the step is taken, and what is not offered cannot be pressed.
      expect(it.take({ type: 'pressed', tab: 1, document: 'd1' })).toMatchObject({
        refused: 'nothing_to_recover',
        effects: [],
      });
    },
  );

  it('what is offered is taken by itself when Auto is switched on, after the server was asked again', () => {
    const it = chat({ auto: false });
    it.learn(seen('an error with Retry'), says('ahead'));
    it.given({ auto: true }).wait(20_000);
    expect(it.see(seen('an error with Retry')).effects).toMatchObject([{ type: 'examine' }]);
  });

  it('an offer of another document, of another tab, or of a site that refuses is not taken', () => {
    const it = chat({ auto: false });
    it.learn(seen('an error with Retry'), says('ahead'));
    expect(it.take({ type: 'pressed', tab: 2, document: 'd1' }).refused).toBe('nothing_to_recover');
    expect(it.take({ type: 'pressed', tab: 1, document: 'd2' }).refused).toBe('nothing_to_recover');
    it.given({ backingOff: true });
    expect(it.take({ type: 'pressed', tab: 1, document: 'd1' }).refused).toBe('rate_limited');
    it.given({ backingOff: false, transferring: true });
    expect(it.take({ type: 'pressed', tab: 1, document: 'd1' }).refused).toBe('transfer_active');
  });
});

describe('budgets', () => {
  it('a Retry that brings nothing in 30 s is followed by one reload, and that by nothing', () => {
    verifies('extension.recovery');
    const it = chat();
    const broken = seen('an error with Retry');
    it.learn(broken, says('not accepted'));
    it.answer('done');
    expect(it.wait(10_000).see(broken).effects).toEqual([]);
    const reload = it.wait(21_000).see(broken);
    expect(reload.effects).toMatchObject([{ type: 'recover', order: { act: 'reload' } }]);
    expect(it.health()).toMatchObject({ found: 'retry_failed', retries: 1, reloads: 1 });
    it.answer('done');
    it.wait(20_000);
    expect(it.see({ ...broken, loadedMs: 5_000 }, 'd2').effects).toEqual([]);
    for (let turn = 0; turn < 40; turn += 1) {
      const { effects } = it.wait(15_000).learn({ ...broken, loadedMs: 60_000 }, says('not accepted'), 'd2');
      expect(effects.filter(({ type }) => type === 'recover')).toEqual([]);
    }
    expect(it.health()).toMatchObject({ phase: 'exhausted', reloads: 1, retries: 1 });
  });

  it('a Retry after which the site works has healed; that its card is still there a moment later is nothing', () => {
    const it = chat();
    it.learn(seen('an error with Retry'), says('not accepted'));
    it.answer('done');
    // The clock is put forward by an hour; the page has watched two seconds.
    expect(it.wait(3_600_000).see({ ...seen('an error with Retry'), actedMs: 2_000 }).effects).toEqual([]);
    it.wait(2_000).see(page({ pending: true, streaming: true, stillMs: 40_000, actedMs: 40_000, confirmed: false }));
    expect(it.health()).toMatchObject({ phase: 'well', retries: 1 });
  });

  it('a question that stood there already is watched while the worker knows that it is new', () => {
    const it = chat();
    const unanswered = page({ pending: true, stillMs: 70_000, confirmed: false });
    it.take({ type: 'turn', id: 'u1', hash: 'h1' });
    it.wait(60_000).learn(unanswered, says('not accepted'));
    expect(it.health()).toMatchObject({ phase: 'ordered', act: 'reload' });
    const old = chat();
    old.take({ type: 'turn', id: 'u1', hash: 'h1' });
    expect(old.wait(11 * 60_000).learn(unanswered, says('not accepted')).effects).toEqual([]);
  });

  it('an order of before is not told again once a person has switched Auto off', () => {
    const it = chat();
    it.learn(seen('an error with Retry'), says('ahead'));
    it.given({ auto: false });
    expect(it.wait(10_000).see(seen('an error with Retry')).effects).toEqual([]);
    it.given({ auto: true });
    expect(it.wait(5_000).see(seen('an error with Retry')).effects).toMatchObject([{ type: 'recover' }]);
  });

  it('a Retry after which the answer grows has healed', () => {
    const it = chat();
    it.learn(seen('an error with Retry'), says('not accepted'));
    it.answer('done');
    it.wait(8_000).see(page({ pending: true, streaming: true, stillMs: 300, confirmed: false }));
    expect(it.health()).toMatchObject({ phase: 'well', retries: 1 });
  });

  it('the turn that the site sends again under another id is the same turn; a person’s next one is another', () => {
    const it = chat();
    it.take({ type: 'turn', id: 'u1', hash: 'h1' });
    it.learn(seen('an error with Retry'), says('not accepted'));
    it.answer('done');
    it.take({ type: 'turn', id: 'u2', hash: 'h1' });
    expect(it.health()).toMatchObject({ turn: { id: 'u2' }, retries: 1 });
    it.take({ type: 'turn', id: 'u3', hash: 'h3' });
    expect(it.health()).toMatchObject({ phase: 'well', retries: 0, reloads: 0 });
  });

  it('a reload that heals leaves the budget spent for this turn, and the next turn has its own after the pause', () => {
    const it = chat();
    it.take({ type: 'turn', id: 'u1', hash: 'h1' });
    it.learn(seen('a still answer, 40 s'), says('ahead'));
    it.wait(3_000).see(page({ loadedMs: 11_000 }), 'd2');
    expect(it.health()).toMatchObject({ phase: 'well', reloads: 1 });
    it.wait(20_000).learn(seen('a still answer, 40 s'), says('ahead'), 'd2');
    expect(it.health().phase).toBe('exhausted');
    it.take({ type: 'turn', id: 'u2', hash: 'h2' });
    it.wait(10_000).learn(seen('a still answer, 40 s'), says('ahead'), 'd2');
    expect(it.health()).toMatchObject({ phase: 'held', hold: 'cooling_down', reloads: 0 });
    it.wait(60_000).learn(seen('a still answer, 40 s'), says('ahead'), 'd2');
    expect(it.health()).toMatchObject({ phase: 'ordered', reloads: 1 });
  });

  it('comes back only when the page says that it certainly did nothing', () => {
    const it = chat();
    it.learn(seen('an error with Retry'), says('ahead'));
    expect(it.health()).toMatchObject({ reloads: 1 });
    it.answer('user_typing');
    expect(it.health()).toMatchObject({ phase: 'held', hold: 'user_typing', reloads: 0, reloadedAt: null });
    it.wait(20_000).learn(seen('an error with Retry'), says('ahead'));
    it.answer('gone');
    expect(it.health()).toMatchObject({ phase: 'ordered', reloads: 1 });
  });

  it('a provider that says something else each time, and is ahead for ever, gets one reload a turn', () => {
    verifies('extension.recovery');
    const it = chat();
    const lies = Object.values(SERVERS);
    let reloads = 0;
    let document = 1;
    for (let look = 0; look < 300; look += 1) {
      it.wait(7_000);
      const evidence = page({ pending: true, streaming: look % 2 === 0, stillMs: 200_000, confirmed: false });
      const { effects } = it.learn(evidence, lies[look % lies.length], `d${document}`);
      for (const effect of effects) {
        if (effect.type !== 'recover') continue;
        reloads += 1;
        document += 1;
      }
    }
    expect(reloads).toBe(1);
  });
});

describe('a message of ours that is in doubt', () => {
  it('holds a reload back, except where the site itself says that the turn failed', () => {
    const stale = chat({ doubtful: true });
    stale.learn(seen('a still answer, 40 s'), says('ahead'));
    expect(stale.health()).toMatchObject({ phase: 'held', hold: 'delivery_uncertain' });
    const cut = chat({ doubtful: true });
    cut.learn(seen('a cut answer'), says('ahead'));
    expect(cut.health()).toMatchObject({ phase: 'held', hold: 'delivery_uncertain' });
    const failed = chat({ doubtful: true });
    failed.learn(seen('a send time-out without Retry'), says('silent'));
    expect(failed.health()).toMatchObject({ phase: 'ordered', act: 'reload' });
  });

  it('and a handover that runs hold it back in any case', () => {
    const it = chat({ transferring: true });
    it.learn(seen('an error with Retry'), says('ahead'));
    expect(it.health()).toMatchObject({ phase: 'held', hold: 'transfer_active' });
  });
});

describe('the server', () => {
  it('is asked at most every 15 s about one trouble, ever more seldom, and again when an answer was lost', () => {
    const it = chat();
    const asked: number[] = [];
    for (let second = 0; second < 600; second += 5) {
      const { effects } = it.learn(seen('a still answer, 100 s'), says('silent'));
      if (it.health().asked.at === it.now()) asked.push(second);
      expect(effects.every(({ type }) => type === 'examine')).toBe(true);
      it.wait(5_000);
    }
    expect(asked.slice(0, 5)).toEqual([0, 15, 45, 105, 225]);
    const lost = chat();
    expect(lost.see(seen('a still answer, 100 s')).effects).toHaveLength(1);
    expect(lost.wait(10_000).see(seen('a still answer, 100 s')).effects).toEqual([]);
    expect(lost.wait(12_000).see(seen('a still answer, 100 s')).effects).toHaveLength(1);
  });

  it('is not asked while something of a person stands in the way of what would help', () => {
    const it = chat();
    it.learn(seen('an error, a draft'), says('ahead'));
    for (let look = 0; look < 20; look += 1) expect(it.wait(15_000).see(seen('an error, a draft')).effects).toEqual([]);
    expect(it.wait(5_000).see(seen('an error with Retry')).effects).toMatchObject([{ type: 'examine' }]);
  });
});

describe('two tabs of one conversation', () => {
  it('what was seen in one is not taken back by the other, until the first is gone', () => {
    const it = chat({ auto: false });
    it.learn(seen('an error with Retry'), says('ahead'));
    it.see(page(), 'other', 2);
    expect(it.health().phase).toBe('offered');
    it.given({ isOpen: (tab) => tab === 2 });
    it.take({ type: 'tick' });
    expect(it.health().phase).toBe('well');
  });
});
