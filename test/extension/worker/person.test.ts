import { describe, expect, it } from 'vitest';
import { doubted, moveQueue, queueOf } from '../../../extension/machines/worker/queue.ts';
import { step } from '../../../extension/machines/worker/step.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project, QUIET } from './chat.ts';
import { world } from './world.ts';

async function open(page = chat()) {
  const it = world({ page });
  await it.begin();
  await it.bind();
  return it;
}

describe('the Queue', () => {
  it('goes out in order, joined by a blank line, when the answer has ended, and before anything of Auto', async () => {
    verifies('extension.queue');
    const it = await open();
    await it.press({ name: 'auto', on: true });
    await it.page({ busy: true });
    await it.queue('first');
    await it.queue('second');
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns).toEqual([]);
    await it.turnEnded();
    expect(it.turns).toEqual(['first\n\nsecond']);
    expect((await it.hud()).queue).toEqual({ count: 0, chars: 0, uncertain: false });
    await it.turnEnded();
    expect(it.turns).toHaveLength(2);
  });

  it('keeps everything while the page refuses, and survives worker, page and browser', async () => {
    verifies('extension.queue');
    const it = await open();
    await it.page({ busy: true });
    await it.queue('kept');
    await it.restartWorker();
    await it.reloadPage();
    await it.restartBrowser();
    expect((await it.hud()).queue.count).toBe(1);
    const { bindings } = await it.state();
    await it.reloadPage();
    await it.page({ draft: true, busy: false });
    await it.tick();
    expect(it.turns).toEqual([]);
    await it.page({ draft: false });
    expect(it.turns).toEqual(['kept']);
    // It sends words, and changes nothing else.
    expect((await it.state()).bindings).toEqual(bindings);
  });

  it('that two tabs of the conversation send at once goes out once, also when it was in doubt', async () => {
    verifies('extension.queue');
    const it = await open();
    const second = { ...it.from(), tab: 8, document: 'other' };
    await it.page({ busy: true });
    await it.take({ type: 'here', from: second, state: { ...QUIET, busy: true } });
    await it.queue('once');
    const flush = (from: typeof second) => it.take({ type: 'queue_flush', from });
    await Promise.all([it.page({ busy: false }), it.take({ type: 'here', from: second, state: QUIET })]);
    await Promise.all([flush(it.from()), flush(second)]);
    await it.tick();
    expect(it.turns).toEqual(['once']);
    expect(await flush(second)).toMatchObject({ reason: 'queue_empty' });

    await it.page({ busy: true });
    await it.queue('doubted');
    const state = await it.state();
    const env = { now: state.queues[CHAT]?.entries[0]?.createdAt ?? 0, language: 'en' } as const;
    const ids = queueOf(state, CHAT).entries.map(({ id }) => id);
    const doubt = step(doubted(state, CHAT, ids), { type: 'here', from: it.from(), state: QUIET }, env);
    const first = step(doubt.state, { type: 'queue_flush', from: second }, env);
    const other = step(first.state, { type: 'queue_flush', from: it.from() }, env);
    const sent = [doubt, first, other].map(({ effects }) => effects.filter(({ type }) => type === 'deliver').length);
    expect([sent, other.reply]).toEqual([[0, 1, 0], { ok: false, reason: 'wake_in_flight' }]);
  });

  it.each([
    ['queue_entry_too_long', [], 'x'.repeat(12_001)],
    ['queue_batch_too_long', ['x'.repeat(12_000), 'x'.repeat(11_990)], 'and one more word'],
    ['queue_full', Array.from({ length: 20 }, (_, index) => `n${index}`), 'one too many'],
    ['empty_text', [], ' \n '],
  ])('says which limit it was: %s', async (reason, before, text) => {
    verifies('extension.queue');
    const it = await open();
    await it.page({ busy: true });
    for (const [index, entry] of before.entries()) await it.queue(entry, `e${index}`);
    expect(await it.queue(text)).toEqual({ ok: false, reason });
    expect((await it.hud()).queue.count).toBe(before.length);
  });

  it('is cleared by the person, flushed by the person, and kept apart by conversation', async () => {
    verifies('extension.queue');
    const it = await open();
    await it.page({ busy: true });
    await it.queue('gone');
    await it.take({ type: 'queue_clear', from: it.from() });
    expect(await it.take({ type: 'queue_flush', from: it.from() })).toMatchObject({ reason: 'queue_empty' });
    await it.queue('here');
    await it.page({ busy: false }, chat('https://chatgpt.com/c/elsewhere'));
    expect((await it.hud()).queue.count).toBe(0);
    expect(it.turns).toEqual([]);
  });

  it('drops what is a week old, and what a wrong clock dated ahead', async () => {
    const it = await open();
    await it.page({ busy: true });
    await it.queue('old');
    await it.tick(7 * 24 * 3_600_000 + 1);
    expect((await it.hud()).queue.count).toBe(0);
    await it.take({
      type: 'queue_add',
      from: it.from(),
      entry: { id: 'f', text: 'future', createdAt: it.now() + 120_000 },
    });
    await it.tick(1_000);
    expect((await it.hud()).queue.count).toBe(0);
  });
});

describe('the buttons', () => {
  it('three of them are locked while Auto is on, at the worker too', async () => {
    verifies('extension.buttons');
    const it = await open();
    await it.press({ name: 'auto', on: true });
    for (const name of ['continue', 'check', 'decide'] as const) {
      expect(await it.press({ name })).toEqual({ ok: false, reason: 'auto_on' });
    }
    // A handover is no such step: it is there with Auto on and off.
    expect((await it.hud()).actions.handoff).toBeNull();
    expect(it.turns).toEqual([]);
  });

  it('need a conversation: on a Project’s home and on the first page they say so and do nothing', async () => {
    verifies('extension.buttons');
    const nowhere = { ...chat(), conversation: null };
    for (const page of [
      { ...nowhere, place: 'project' as const, project: project(), url: `${project().key}/project` },
      { ...nowhere, place: 'root' as const, url: 'https://chatgpt.com/' },
    ]) {
      const it = await open(page);
      expect((await it.hud()).bound).toHaveLength(1);
      for (const name of ['continue', 'check', 'decide', 'handoff', 'recover', 'send_settled'] as const) {
        expect(await it.press({ name })).toEqual({ ok: false, reason: 'conversation_required' });
      }
      expect(await it.queue('words')).toEqual({ ok: false, reason: 'conversation_required' });
      expect(it.turns).toEqual([]);
    }
  });

  it('Continue sends the person’s own message', async () => {
    verifies('extension.buttons');
    const it = await open();
    await it.take({ type: 'config', config: { continueMessage: 'Go on with the tests.' } });
    expect(await it.press({ name: 'continue' })).toMatchObject({ ok: true });
    expect(it.turns).toEqual(['Go on with the tests.']);
  });

  it('Check Herdr shows the fresh state and then continues with it in the text', async () => {
    verifies('extension.buttons');
    const it = await open();
    await it.agent('w1:p1', 'working', 1);
    const reply = await it.press({ name: 'check' });
    expect(reply).toMatchObject({
      ok: true,
      seen: [{ workspace: 'w1', status: 'working', agents: [{ pane: 'w1:p1' }] }],
    });
    expect(it.turns[0]).toContain('w1:p1 pi: working');
  });

  it('… and still shows it when nothing can be sent', async () => {
    const it = await open();
    await it.page({ draft: true });
    const reply = await it.press({ name: 'check' });
    expect(reply).toMatchObject({ ok: true, seen: [{ workspace: 'w1' }] });
    expect(it.turns).toEqual([]);
    expect((await it.hud()).delivery).toMatchObject({ kind: 'check', state: 'blocked', reason: 'user_typing' });
  });
});

describe('Auto', () => {
  it('is off by default, and its choice is kept while it cannot take effect', async () => {
    verifies('extension.auto');
    const it = await open();
    expect((await it.hud()).auto).toEqual({ on: false, effective: false, why: null });
    await it.press({ name: 'auto', on: true });
    await it.take({ type: 'link', status: 'offline' });
    expect((await it.hud()).auto).toEqual({ on: true, effective: false, why: 'runtime_unavailable' });
  });

  it('of a Project needs the permission in the Options too, and is the Project’s, not the chat’s', async () => {
    verifies('extension.auto');
    const it = await open(chat(CHAT, project()));
    expect(await it.press({ name: 'auto', on: true })).toEqual({ ok: false, reason: 'project_permission_off' });
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    await it.page({}, chat('https://chatgpt.com/c/other', project()));
    expect((await it.hud()).auto.effective).toBe(true);
    await it.take({ type: 'config', config: { projectPermission: false } });
    expect((await it.hud()).auto).toMatchObject({ on: true, effective: false, why: 'project_permission_off' });
  });

  it('of a conversation outside a Project is that conversation’s alone', async () => {
    verifies('extension.auto');
    const it = await open();
    await it.press({ name: 'auto', on: true });
    await it.page({}, chat('https://chatgpt.com/c/other'));
    expect((await it.hud()).auto.on).toBe(false);
    await it.page({}, chat());
    expect((await it.hud()).auto.on).toBe(true);
  });

  it('switched off between plan and press is obeyed', async () => {
    verifies('extension.wake');
    const it = await open();
    await it.press({ name: 'auto', on: true });
    await it.page({ busy: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.press({ name: 'auto', on: false });
    await it.turnEnded();
    await it.tick();
    expect(it.turns).toEqual([]);
    expect((await it.hud()).settled).not.toBeNull();
  });
});

describe('when the line of work moves to another conversation', () => {
  const other = 'https://chatgpt.com/c/next';

  it('what waits goes with it in its order; what does not fit, or may have arrived, stays whole', async () => {
    verifies('extension.queue', 'compat.move');
    const it = await open();
    await it.page({ busy: true });
    await it.queue('first');
    await it.tick(1_000);
    await it.queue('second');
    const state = await it.state();
    const { state: after, moved } = moveQueue(state, CHAT, other);
    expect(moved).toBe(true);
    expect(queueOf(after, other).entries.map(({ text }) => text)).toEqual(['first', 'second']);
    expect(queueOf(after, CHAT).entries).toEqual([]);
    const full = Array.from({ length: 19 }, (_, index) => ({ id: `t${index}`, text: 'x', createdAt: index }));
    const crowded = { ...state, queues: { ...state.queues, [other]: { entries: full, uncertain: [], notBefore: 0 } } };
    expect(moveQueue(crowded, CHAT, other)).toEqual({ state: crowded, moved: false });
    const doubtful = doubted(state, CHAT, ['x']);
    expect(moveQueue(doubtful, CHAT, other)).toEqual({ state: doubtful, moved: false });
  });

  it('a message that was planned for the old target is not sent, and waits for the new one', async () => {
    verifies('extension.wake', 'compat.move');
    const it = await open(chat(CHAT, project()));
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    await it.page({ busy: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.page({ busy: true }, chat(other, project()));
    await it.take({ type: 'turn_accepted', from: it.from(), text: 'on we go' });
    await it.turnEnded();
    await it.tick();
    const { deliveries } = await it.state();
    expect(Object.values(deliveries).map(({ conversation }) => conversation)).toEqual([other]);
    expect(it.turns).toHaveLength(1);
  });
});
