/** The computer's clock is put back or forward while a message waits or is on its way. */
import { describe, expect, it } from 'vitest';
import type { Call, Loop } from '../../../extension/machines/bridge/state.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { bound } from './bound.ts';
import { CHAT, chat, QUIET } from './chat.ts';
import { world } from './world.ts';

const DAY = 86_400_000;

/** The page holds a draft that the worker has not heard of: it refuses what it is given. Then the draft goes, as silently. */
async function refusing(it: Awaited<ReturnType<typeof bound>>, act: () => Promise<unknown>) {
  await it.page({ draft: true });
  it.write('words of a person');
  await it.take({ type: 'page', from: it.from(), state: QUIET });
  await act();
  expect(it.turns).toEqual([]);
  it.write('');
  await it.page({ draft: false });
}

describe.each([
  ['back by a day', -DAY],
  ['back by two minutes', -120_000],
  ['forward by a day', DAY],
])('the clock is put %s', (_name, jump) => {
  it('a wake that the page refused is told all the same, once', async () => {
    verifies('extension.wake');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await refusing(it, () => it.agent('w1:p1', 'done', 2));
    await it.tick(jump);
    for (let turn = 0; turn < 2; turn += 1) await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('the Queue that the page refused is sent all the same, once', async () => {
    verifies('extension.queue');
    const it = await bound();
    await refusing(it, () => it.queue('next', 'q1'));
    await it.tick(jump);
    for (let turn = 0; turn < 2; turn += 1) await it.tick();
    expect(it.turns).toEqual(['next']);
  });

  it('no word of the Queue is lost while an answer is written, and none gets out of its order', async () => {
    verifies('extension.queue');
    const it = world();
    await it.begin();
    await it.page({ busy: true });
    await it.queue('first', 'q1');
    await it.tick(1_000);
    await it.queue('second', 'q2');
    await it.tick(jump);
    await it.queue('third', 'q3');
    await it.turnEnded();
    await it.tick();
    expect(it.turns).toEqual(['first\n\nsecond\n\nthird']);
  });

  it('news of a working agent are told again when the pause is over', async () => {
    verifies('extension.wake');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.tick(61_000);
    await it.turnEnded();
    expect(it.turns).toHaveLength(1);
    await it.tick(jump);
    it.setOutput('something new');
    for (let turn = 0; turn < 22; turn += 1) await it.tick(60_000);
    expect(it.turns).toHaveLength(2);
  });
});

describe('a submitted message, while the clock is put back', () => {
  const from = { tab: 7, document: 'd1', version: '1.0.0', page: chat() };
  const at = 1_764_500_000_000;

  /** Claimed by a page that has gone since; another document of the chat is open. */
  function submitted(): State {
    let state = EMPTY;
    const take = (event: Event) => {
      state = step(state, event, { now: at, language: 'en' }).state;
    };
    take({ type: 'here', from, state: QUIET });
    take({ type: 'queue_add', from, entry: { id: 'q1', text: 'next', createdAt: at } });
    const [delivery] = Object.values(state.deliveries);
    const baseline = { userIds: [], userTurns: 0 };
    take({ type: 'claim', from, id: delivery?.id ?? '', attempt: 1, baseline });
    take({ type: 'here', from: { ...from, document: 'd2' }, state: QUIET });
    return state;
  }

  it('is looked for within a minute, and in doubt after two, as ever', () => {
    verifies('extension.wake');
    let state = submitted();
    let probes = 0;
    let now = at - DAY;
    for (let turn = 0; turn < 6; turn += 1) {
      now += 30_000;
      const ticked = step(state, { type: 'tick' }, { now, language: 'en' });
      const probe = ticked.effects.find(({ type }) => type === 'probe');
      state = ticked.state;
      if (probe === undefined) continue;
      probes += 1;
      const [id = ''] = Object.keys(state.deliveries);
      state = step(state, { type: 'probed', id, arrived: 'unknown' }, { now, language: 'en' }).state;
    }
    expect(probes).toBeGreaterThan(2);
    const [delivery] = Object.values(state.deliveries);
    expect(delivery?.state).toBe('uncertain');
    // It is never given to a page again, whatever the clock says.
    expect(delivery?.attempt).toBe(1);
    expect(state.queues[CHAT]?.uncertain).toEqual(['q1']);
  });

  it('a message in doubt stays younger than what a person said before it', () => {
    verifies('extension.auto');
    const before = submitted();
    const [id = ''] = Object.keys(before.deliveries);
    const spoke = step(
      before,
      { type: 'turn_accepted', from, text: 'mine', id: 'u1' },
      { now: at, language: 'en' },
    ).state;
    const doubted = { ...spoke, deliveries: { ...spoke.deliveries } };
    const one = doubted.deliveries[id];
    if (one === undefined) throw new Error('no delivery');
    doubted.deliveries[id] = { ...one, state: 'uncertain', updatedAt: at + 5_000 };
    const after = step(doubted, { type: 'tick' }, { now: at - DAY, language: 'en' }).state;
    expect(after.deliveries[id]?.updatedAt).toBe(at - DAY);
    expect(after.deliveries[id]?.createdAt).toBe(at - DAY - 5_000);
  });

  it('what only goes on is the same object: nothing is written for it', () => {
    const state = submitted();
    const silent = step(
      state,
      { type: 'services', services: { evaluate: false, chat: false } },
      { now: at - 59_000, language: 'en' },
    );
    expect(silent.state.deliveries).toBe(state.deliveries);
  });
});

describe('a call of a chat without a connector, while the clock is put back', () => {
  it('keeps its age, so that its key is trusted no longer', () => {
    verifies('bridge.ledger');
    const at = 1_764_500_000_000;
    const call: Call = {
      tool: 'herdr_fs_edit',
      args: {},
      class: 'write',
      key: 'k',
      keyed: true,
      same: null,
      state: 'executing',
      attempt: 1,
      since: at - 13 * 3_600_000,
      sentAt: at,
      result: null,
    };
    const round = { answers: 1, message: 'm1', print: 'p', calls: [call], problem: null, posted: false };
    const loop: Loop = {
      id: 'bl_0123456789abcdef',
      site: 'zai',
      conversation: CHAT,
      n: 1,
      at: 1,
      atMs: at,
      closed: 0,
      answered: true,
      used: 1,
      budget: 10,
      repairs: 0,
      refusals: 0,
      round,
      sending: null,
      doubt: null,
      said: [],
      entries: [],
      taught: null,
      paused: null,
      notBefore: at,
      updatedAt: at,
    };
    const config = { ...EMPTY.config, sites: ['zai' as const] };
    const before: State = { ...EMPTY, config, bridge: { ...EMPTY.bridge, loops: { [CHAT]: loop } } };
    const back = step(
      before,
      { type: 'services', services: { evaluate: false, chat: false } },
      { now: at - DAY, language: 'en' },
    );
    expect(back.state.bridge.loops[CHAT]).toMatchObject({
      atMs: at - DAY,
      notBefore: at - DAY,
      updatedAt: at - DAY,
      round: { answers: 1, calls: [{ since: at - DAY - 13 * 3_600_000, sentAt: at - DAY, state: 'executing' }] },
    });
    // An hour later nobody has answered: a key of fourteen hours finds nothing for certain, so the change is in doubt.
    const later = step(back.state, { type: 'tick' }, { now: at - DAY + 3_600_000, language: 'en' });
    const calls = later.state.bridge.loops[CHAT]?.round?.calls;
    expect(calls).toMatchObject([{ state: 'done', result: { ok: false, error: 'delivery_unknown' } }]);
  });
});
