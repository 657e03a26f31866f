/** What a model’s advice leads to: in a chat with a goal, in a long one, when a person asks, and where there is no model. */
import { describe, expect, it } from 'vitest';
import { WELL } from '../../../extension/machines/recovery/state.ts';
import { automatic } from '../../../extension/machines/worker/automatic.ts';
import { DONE } from '../../../extension/machines/worker/events.ts';
import type { State } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { said } from '../auto/support.ts';
import { CHAT, chat, project } from './chat.ts';
import { OPEN, open } from './judged.ts';
import { models } from './models.ts';
import { world } from './world.ts';

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
