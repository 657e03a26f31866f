/** Auto at the end of a turn, with a worker that may end and storage that may fail. */
import { describe, expect, it } from 'vitest';
import { type Effect, type Event, step } from '../../../extension/machines/worker/index.ts';
import { POLICIES } from '../../../extension/policy.ts';
import { verifies } from '../../verifies.ts';
import { OPEN_ANSWER, turn } from '../auto/support.ts';
import { CHAT, chat, project } from './chat.ts';
import { OPEN, open } from './judged.ts';
import { models } from './models.ts';
import { type Fault, world } from './world.ts';

const NUDGE = 'This message was sent by Auto';

describe('at the end of a turn', () => {
  it('Auto goes on once with the person’s message and says what it decided', async () => {
    verifies('extension.auto');
    const it = await open();
    await it.turnEnded(OPEN);
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain(NUDGE);
    expect((await it.hud()).judge).toMatchObject({ mark: 'sent', why: 'continued' });
    await it.turnEnded(OPEN);
    await it.tick();
    await it.restartWorker();
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('nothing is judged while Auto is off, which it is until somebody switches it on', async () => {
    verifies('extension.auto');
    const asked: string[] = [];
    const own = models();
    const it = await open(
      {
        models: (wanted, shown) => {
          asked.push(wanted.type);
          return own(wanted, shown);
        },
      },
      false,
    );
    await it.turnEnded(OPEN);
    for (let turns = 0; turns < 5; turns += 1) await it.tick();
    expect(it.turns).toEqual([]);
    expect(asked.filter((type) => type === 'judge')).toEqual([]);
    expect((await it.state()).judges).toEqual({});
  });

  it('a person’s kept words go first, and Auto says nothing beside them', async () => {
    verifies('extension.auto', 'extension.queue');
    const it = await open();
    await it.page({ busy: true });
    await it.queue('my next words');
    await it.turnEnded(OPEN);
    expect(it.turns).toEqual(['my next words']);
  });

  it('news from the workspace go first, and one message leaves at a time', async () => {
    verifies('extension.auto');
    const it = await open();
    await it.page({ busy: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    const { judges } = step(
      await it.state(),
      { type: 'turn_ended', from: it.from(), turn: OPEN, confirmed: true },
      { now: it.now(), language: 'en' },
    ).state;
    expect(judges[CHAT]).toMatchObject({ judging: null, result: { why: 'settle_first' } });
    await it.turnEnded(OPEN);
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('all agents');
    await it.turnEnded(turn(OPEN_ANSWER, 'a2'));
    expect(it.turns).toHaveLength(2);
    expect(it.turns[1]).toContain(NUDGE);
  });

  it('waits for a draft and a card, and goes on by itself when they are gone', async () => {
    verifies('extension.auto');
    const it = await open();
    await it.page({ draft: true });
    await it.turnEnded(OPEN);
    expect(it.turns).toEqual([]);
    expect((await it.hud()).judge).toMatchObject({ mark: 'held', why: 'page_not_quiet' });
    await it.page({ draft: false });
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('a message of Auto that waits is withdrawn when the person has spoken meanwhile', async () => {
    verifies('extension.auto');
    const it = await open();
    let state = await it.state();
    const env = { now: it.now(), language: 'en' as const };
    /** A page that says nothing yet: what it was told to send waits. */
    const take = (event: Event) => {
      const stepped = step(state, event, env);
      state = stepped.state;
      return stepped;
    };
    take({ type: 'turn_ended', from: it.from(), turn: OPEN, confirmed: true });
    const id = state.judges[CHAT]?.judging?.id ?? '';
    const judged = (event: Extract<Event, { type: 'judged' }>['event']) =>
      take({ type: 'judged', conversation: CHAT, event });
    judged({ type: 'prepared', id, turn: OPEN, services: { evaluate: true, chat: false }, goal: null });
    judged({ type: 'evaluated', id, turn: OPEN, goal: null, answers: { remains: { type: 'noul', noul: 1 } } });
    const waiting = Object.values(state.deliveries)[0];
    expect(waiting).toMatchObject({ kind: 'judge', state: 'handed' });
    take({ type: 'turn_accepted', from: it.from(), text: 'my own words', submitted: 'person' });
    expect(state.deliveries[waiting?.id ?? '']).toMatchObject({ state: 'blocked', reason: 'turn_in_progress' });
    const baseline = { userIds: [], userTurns: 0 };
    const claim = { type: 'claim' as const, from: it.from(), id: waiting?.id ?? '', attempt: 1, baseline };
    expect(take(claim).reply).toMatchObject({ ok: false });
    expect(state.judges[CHAT]).toMatchObject({ sending: null, sealed: null, speaker: 'person' });
  });

  it('a message of Auto that found no page is not sent hours later: the page is read again first', async () => {
    verifies('extension.auto');
    const it = await open();
    let state = await it.state();
    let now = it.now();
    const take = (event: Event) => {
      const stepped = step(state, event, { now, language: 'en' });
      state = stepped.state;
      return stepped.effects.map(({ type }) => type);
    };
    const judged = (event: Extract<Event, { type: 'judged' }>['event']) =>
      take({ type: 'judged', conversation: CHAT, event });
    take({ type: 'turn_ended', from: it.from(), turn: OPEN, confirmed: true });
    const id = state.judges[CHAT]?.judging?.id ?? '';
    judged({ type: 'prepared', id, turn: OPEN, services: { evaluate: true, chat: false }, goal: null });
    judged({ type: 'evaluated', id, turn: OPEN, goal: null, answers: { remains: { type: 'noul', noul: 1 } } });
    take({ type: 'tab_gone', tab: it.tab });
    now += 5 * 3_600_000;
    const page = { busy: false, draft: false, card: false, visible: true };
    const shown = take({ type: 'here', from: { ...it.from(), document: 'later' }, state: page });
    expect(shown).not.toContain('deliver');
    expect(Object.values(state.deliveries)).toMatchObject([{ kind: 'judge', state: 'blocked' }]);
    now += 30_000;
    expect(take({ type: 'tick' })).toContain('judge');
  });

  it('of a Project needs both permissions, and only its active chat is judged', async () => {
    verifies('extension.auto');
    const it = world({ page: chat(CHAT, project()), models: models() });
    await it.begin();
    await it.bind();
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    await it.page({}, chat('https://chatgpt.com/c/other', project()));
    await it.turnEnded(OPEN);
    expect(it.turns).toEqual([]);
    expect((await it.hud()).judge).toMatchObject({ why: 'unbound' });
    await it.page({}, chat(CHAT, project()));
    await it.turnEnded(OPEN);
    expect(it.turns).toHaveLength(1);
    await it.take({ type: 'config', config: { projectPermission: false } });
    const { runs } = (await it.state()).judges[CHAT] ?? {};
    await it.turnEnded(turn(OPEN_ANSWER, 'a2'));
    await it.tick(120_000);
    expect(it.turns).toHaveLength(1);
    expect((await it.state()).judges[CHAT]?.runs).toBe(runs);
  });

  it('is decided on ChatGPT only: elsewhere Auto is progress and settled', () => {
    verifies('extension.auto');
    const judged = Object.entries(POLICIES).filter(([, policy]) => policy.judges);
    expect(judged.map(([site]) => site)).toEqual(['chatgpt']);
  });

  it('a wake that a person sent by hand counts as that person’s word', async () => {
    const it = await open({ models: models({ noul: 0 }) });
    await it.page({ draft: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.page({ draft: false, busy: true });
    await it.page({ busy: false, card: true });
    await it.press({ name: 'send_settled' });
    expect(it.turns).toHaveLength(1);
    const accepted = { type: 'turn_accepted' as const, from: it.from(), text: it.turns[0] ?? '' };
    await it.take({ ...accepted, submitted: 'extension' });
    expect((await it.state()).judges[CHAT]?.speaker).toBe('person');
  });

  it('a question that a worker took with it is asked anew by the next one', async () => {
    verifies('extension.auto');
    const it = await open({ models: () => null });
    await it.turnEnded(OPEN);
    expect((await it.state()).judges[CHAT]?.judging).not.toBeNull();
    await it.restartWorker();
    expect((await it.state()).judges[CHAT]).toMatchObject({ judging: null, retryAt: it.now() });
  });

  it('a saved choice and a decision outlive worker and browser', async () => {
    verifies('extension.auto');
    const it = await open({ models: models({ noul: 0 }) });
    await it.turnEnded(OPEN);
    expect((await it.hud()).judge).toMatchObject({ mark: 'done' });
    await it.restartBrowser();
    await it.reloadPage();
    expect((await it.hud()).judge).toMatchObject({ mark: 'done' });
    expect((await it.hud()).auto.on).toBe(true);
  });
});

describe.each(['worker', 'page'] as const)('when the %s ends between any two steps', (who) => {
  const live = async (fault: Fault) => {
    const it = world({ fault, models: models() });
    await it.begin();
    await it.bind();
    await it.press({ name: 'auto', on: true });
    await it.turnEnded(OPEN);
    for (let ticks = 0; ticks < 8; ticks += 1) await it.tick();
    return it;
  };

  it('Auto goes on at most once, and never over anything', async () => {
    verifies('extension.auto');
    const last = (await live(null)).steps();
    expect(last).toBeGreaterThan(20);
    let sent = 0;
    for (let at = 1; at <= last; at += 1) {
      const it = await live({ at, who });
      expect(it.turns.length, `step ${at}`).toBeLessThanOrEqual(1);
      expect(it.composer(), `step ${at}`).toBe('');
      sent += it.turns.length;
      const { auto, delivery, bound, judge } = await it.hud();
      // A press or a binding that nobody heard is seen by the person; everything else goes on or says why not.
      if (it.turns.length === 0 && auto.on && bound.length > 0)
        expect(delivery?.state === 'uncertain' || judge !== null, `step ${at}`).toBe(true);
    }
    expect(sent).toBeGreaterThan(last / 2);
  });
});

describe('storage that fails', () => {
  it('means that nothing was decided, asked or sent', async () => {
    verifies('extension.auto');
    const it = await open();
    const { createLoop } = await import('../../../extension/background/loop.ts');
    const stored = JSON.parse(JSON.stringify(await it.state())) as Record<string, unknown>;
    const done: Effect[] = [];
    const get = (keys: string[]) =>
      Promise.resolve(Object.fromEntries(keys.map((key) => [key, stored[key.replace('herdr.', '')]])));
    const area = { get, set: () => Promise.reject(new Error('the disk is full')) };
    const loop = createLoop({
      local: area,
      session: area,
      nowMs: it.now,
      language: () => 'en',
      perform: (effect) => done.push(effect),
      changed: () => undefined,
    });
    const reply = await loop.take({ type: 'turn_ended', from: it.from(), turn: OPEN, confirmed: true });
    expect(reply).toEqual({ ok: false, reason: 'storage_unavailable' });
    expect(done).toEqual([]);
  });
});
