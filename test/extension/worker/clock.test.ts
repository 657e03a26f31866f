/** The computer's clock is put back or forward while a message waits or is on its way. */
import { describe, expect, it } from 'vitest';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET, world } from './world.ts';

const DAY = 86_400_000;

async function bound() {
  const it = world();
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  return it;
}

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
