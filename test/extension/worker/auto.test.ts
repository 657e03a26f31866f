/** Auto and a long chat in the whole worker: through its storage, its one delivery machine, and with its deaths. */
import { describe, expect, it } from 'vitest';
import { WELL } from '../../../extension/machines/recovery/state.ts';
import { automatic } from '../../../extension/machines/worker/automatic.ts';
import { DONE } from '../../../extension/machines/worker/events.ts';
import { type Effect, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { POLICIES } from '../../../extension/policy.ts';
import { verifies } from '../../verifies.ts';
import { OPEN_ANSWER, said, turn } from '../auto/support.ts';
import { models } from './models.ts';
import { CHAT, chat, type Fault, project, type WorldOptions, world } from './world.ts';

async function open(options: WorldOptions & { models?: WorldOptions['models'] } = {}, auto = true) {
  const it = world({ models: models(), ...options });
  await it.begin();
  await it.bind();
  if (auto) await it.press({ name: 'auto', on: true });
  return it;
}

const OPEN = turn(OPEN_ANSWER);
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

describe('a goal', () => {
  const supervised = (content: string) => open({ models: models({ withGoal: true, content: () => content }) });

  it('is continued with the ledger’s words', async () => {
    verifies('extension.auto');
    const it = await supervised(said({ message: 'words of the model' }));
    await it.turnEnded(OPEN);
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('- run the acceptance checks');
    expect(it.turns[0]).not.toContain('words of the model');
  });

  it('asks the person, and says so with the model’s own reason', async () => {
    verifies('extension.auto');
    const it = await supervised(said({ decision: 'ASK_HUMAN', reason: 'The name has to be chosen.' }));
    await it.turnEnded(OPEN);
    expect(it.turns).toEqual([]);
    expect((await it.hud()).judge).toMatchObject({ mark: 'person', note: 'The name has to be chosen.' });
  });

  it('may want a handover only from a long chat', async () => {
    verifies('extension.auto');
    const it = await open({
      page: chat(CHAT, project()),
      models: models({ withGoal: true, content: () => said({ decision: 'HANDOFF', todo_ids: [] }) }),
    });
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    await it.turnEnded(OPEN);
    expect(it.handovers).toEqual([]);
    await it.take({ type: 'history', from: it.from(), turns: [], turnsNamed: 40 });
    await it.tick(30_000);
    expect(it.handovers).toEqual(['goal_handoff']);
  });
});

describe('a long chat', () => {
  const long = async (auto = true) => {
    const it = world({ page: chat(CHAT, project()), models: models({ noul: 0 }) });
    await it.begin();
    await it.bind();
    await it.take({ type: 'config', config: { projectPermission: true } });
    if (auto) await it.press({ name: 'auto', on: true });
    return it;
  };
  const grow = (it: Awaited<ReturnType<typeof long>>, turnsNamed: number) =>
    it.take({ type: 'history', from: it.from(), turns: [], turnsNamed });

  it('is handed over when it is safe, not before; the bar says how long it is', async () => {
    verifies('extension.auto');
    const it = await long();
    await it.page({ busy: true });
    await grow(it, 50);
    await it.tick();
    expect(it.handovers).toEqual([]);
    expect((await it.hud()).pressure).toMatchObject({ level: 'rollover_required', messages: 50 });
    await it.page({ busy: false, draft: true });
    await it.tick();
    expect(it.handovers).toEqual([]);
    await it.page({ draft: false });
    await it.tick();
    expect(it.handovers).toEqual(['context_pressure']);
    await it.tick();
    expect(it.handovers).toHaveLength(1);
  });

  it('a page that mounts less does not make it shorter, also over worker and browser', async () => {
    verifies('extension.auto');
    const it = await long(false);
    await grow(it, 46);
    await grow(it, 3);
    await it.restartWorker();
    await it.restartBrowser();
    await it.reloadPage();
    expect((await it.hud()).pressure).toMatchObject({ level: 'rollover_recommended', messages: 46 });
  });

  it.each([
    ['Auto is off', async (it: Awaited<ReturnType<typeof long>>) => void (await it.press({ name: 'auto', on: false }))],
    ['the workspace works', async (it: Awaited<ReturnType<typeof long>>) => it.agent('w1:p1', 'working', 1)],
    [
      'the runtime is away',
      async (it: Awaited<ReturnType<typeof long>>) => void (await it.take({ type: 'link', status: 'offline' })),
    ],
    ['a card waits', async (it: Awaited<ReturnType<typeof long>>) => it.page({ card: true })],
    [
      'the site asks for a pause',
      async (it: Awaited<ReturnType<typeof long>>) => void (await it.take({ type: 'site_refused', from: it.from() })),
    ],
  ])('is not handed over while %s', async (_, act) => {
    verifies('extension.auto', 'extension.pressure');
    const it = await long();
    await act(it);
    await grow(it, 60);
    await it.tick(20_000);
    expect(it.handovers).toEqual([]);
  });

  it('a page that recovery could not help is left for a new chat when that is safe, and not when it came back', async () => {
    verifies('extension.auto', 'extension.recovery', 'extension.page-health');
    const it = await long();
    const now = { now: it.now(), language: 'en' as const };
    const state = await it.state();
    const as = (from: State, phase: 'acted' | 'exhausted' | 'well'): State => ({
      ...from,
      recovery: { ...from.recovery, chats: { [CHAT]: { ...WELL, phase } } },
    });
    const after = (before: State, then: State) =>
      automatic(before, { state: then, effects: [], reply: DONE }, { type: 'link', status: 'connected' }, now);
    const acted = as(state, 'acted');
    const lost = after(acted, as(state, 'exhausted'));
    expect(lost.effects).toEqual([{ type: 'rollover.due', conversation: CHAT, reason: 'recovery_exhausted' }]);
    const busy = {
      ...acted,
      tabs: Object.fromEntries(
        Object.entries(acted.tabs).map(([id, tab]) => [id, { ...tab, state: { ...tab.state, busy: true } }]),
      ),
    };
    const held = after(busy, as(busy, 'exhausted'));
    expect(held.effects).toEqual([]);
    expect(held.state.pressures[CHAT]?.wanted).toBe('recovery_exhausted');
    expect(after(held.state, as(held.state, 'well')).state.pressures[CHAT]?.wanted).toBeNull();
  });

  it('outside a Project it is shown, and handed over by a person', async () => {
    const it = await open({ models: models({ noul: 0 }) });
    await it.take({ type: 'history', from: it.from(), turns: [], turnsNamed: 60 });
    await it.tick();
    expect(it.handovers).toEqual([]);
    expect((await it.hud()).pressure).toMatchObject({ level: 'high_risk' });
  });
});

describe('LLM decide', () => {
  const pressed = (it: Awaited<ReturnType<typeof open>>, verdict: 'continue' | 'done' | 'not_sure' | null) =>
    it.take({
      type: 'action',
      from: it.from(),
      action: { name: 'decide' },
      id: `d${it.steps()}`,
      fresh: null,
      verdict,
    });

  it('is there when a chat model is, and sends only on its clear continue', async () => {
    verifies('extension.auto', 'extension.buttons');
    const it = await open({ models: models({ services: { evaluate: true, chat: false } }) }, false);
    expect((await it.hud()).decides).toBe(false);
    expect(await pressed(it, 'continue')).toEqual({ ok: false, reason: 'judge_unavailable' });
    await it.take({ type: 'services', services: { evaluate: false, chat: true } });
    expect((await it.hud()).decides).toBe(true);
    expect(await pressed(it, 'done')).toMatchObject({ ok: true, notSent: 'judged_done' });
    expect(await pressed(it, 'not_sure')).toMatchObject({ ok: true, notSent: 'judge_not_sure' });
    expect(await pressed(it, null)).toEqual({ ok: false, reason: 'judge_unavailable' });
    expect(it.turns).toEqual([]);
    expect(await pressed(it, 'continue')).toMatchObject({ ok: true, notSent: null });
    expect(it.turns).toHaveLength(1);
  });

  it('is refused in the middle of an answer, and while Auto does it', async () => {
    verifies('extension.auto');
    const it = await open({}, false);
    await it.take({ type: 'services', services: { evaluate: false, chat: true } });
    await it.page({ busy: true });
    expect(await pressed(it, 'continue')).toEqual({ ok: false, reason: 'turn_in_progress' });
    await it.page({ busy: false });
    await it.press({ name: 'auto', on: true });
    expect(await pressed(it, 'continue')).toEqual({ ok: false, reason: 'auto_on' });
    expect(it.turns).toEqual([]);
  });
});

describe('which models there are', () => {
  it('is asked when the runtime is there and somebody looks at a chat, and seldom again', async () => {
    let asked = 0;
    const own = models();
    const it = await open({
      models: (wanted, shown) => {
        if (wanted.type === 'services') asked += 1;
        return own(wanted, shown);
      },
    });
    await it.hello();
    await it.tick(30_000);
    expect(asked).toBe(1);
    await it.tick(30_000);
    expect(asked).toBe(2);
    await it.tick(-3_600_000);
    expect(asked).toBe(3);
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
