/** A settle wakes the chat, once; what is no longer current does not. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { bound } from './bound.ts';
import { agentNow, CHAT, chat, project } from './chat.ts';
import { world } from './world.ts';

describe('a settle', () => {
  it('wakes once, and says what a planner has to do', async () => {
    verifies('extension.wake', 'compat.settle');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns).toHaveLength(1);
    for (const word of [
      'live Herdr and Git state',
      'diff',
      'acceptance',
      'Blocked, failed',
      'not proof',
      'Never repeat',
    ]) {
      expect(it.turns[0]).toContain(word);
    }
    await it.pushed('agent_settled', { pane: 'w1:p1', workspace: 'w1', status: 'done', seq: 2, at: it.now() });
    await it.turnEnded();
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('of one pane while another works is partial; the last one ends the round', async () => {
    verifies('extension.wake');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p2', 'working', 1);
    await it.agent('w1:p1', 'blocked', 2);
    expect(it.turns[0]).toContain('part of the work');
    expect((await it.hud()).bound).toMatchObject([{ status: 'working' }]);
    await it.turnEnded();
    await it.agent('w1:p2', 'done', 2);
    expect(it.turns[1]).toContain('all agents');
    expect((await it.hud()).bound).toMatchObject([{ status: 'done' }]);
  });

  it('that nobody heard is found at the reconnect, once', async () => {
    verifies('extension.wake', 'compat.settle');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.hello({ agents: [agentNow('done', 2)] });
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('not connected');
    await it.turnEnded();
    await it.hello({ agents: [agentNow('done', 2)] });
    await it.restartWorker();
    expect(it.turns).toHaveLength(1);
  });

  it('of an agent that was idle when the browser came is only the beginning', async () => {
    verifies('extension.wake');
    const it = await bound();
    await it.agent('w1:p1', 'idle', 4);
    expect(it.turns).toEqual([]);
    expect((await it.state()).stale.never_working).toBe(1);
  });

  it('by leaving while it works is told too', async () => {
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.hello({ agents: [] });
    expect(it.turns[0]).toContain('gone');
  });

  it('without Auto sends nothing: the bar shows it, and a press sends it once', async () => {
    verifies('extension.wake');
    const it = await bound({}, false);
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.tick();
    expect(it.turns).toEqual([]);
    expect((await it.hud()).settled).toMatchObject({ workspace: 'w1', round: 'round', uncertain: false });
    expect(await it.press({ name: 'send_settled' })).toMatchObject({ ok: true });
    expect(it.turns).toHaveLength(1);
    expect((await it.hud()).settled).toBeNull();
    expect(await it.press({ name: 'send_settled' })).toMatchObject({ ok: false, reason: 'nothing_settled' });
  });

  it('waits for a person’s draft and for the answer that is being written, and then goes out', async () => {
    verifies('extension.wake');
    const it = await bound();
    await it.page({ draft: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.tick();
    expect(it.turns).toEqual([]);
    await it.page({ draft: false, busy: true });
    await it.tick();
    expect(it.turns).toEqual([]);
    await it.turnEnded();
    expect(it.turns).toHaveLength(1);
  });

  it('is kept while the runtime is away, and told when it is back', async () => {
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    it.setRuntime(false);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns).toEqual([]);
    it.setRuntime(true);
    await it.tick();
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('is not told to a chat that is being handed over; when that comes to nothing it is, once', async () => {
    verifies('extension.handoff', 'extension.wake');
    const it = world({ page: chat(CHAT, project()) });
    await it.begin();
    await it.bind();
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    expect(await it.press({ name: 'handoff' })).toMatchObject({ ok: true });
    const [transfer] = Object.keys((await it.state()).transfers);
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    await it.tick();
    expect(it.turns).toEqual([]);
    // The chain does not resolve, and the chat holds no packet of an earlier handoff: it comes to nothing.
    await it.take({ type: 'handoff', transfer: transfer ?? '', event: { type: 'prepared', answer: 'refused' } });
    await it.take({ type: 'handoff', transfer: transfer ?? '', event: { type: 'summary', turn: null } });
    for (let turn = 0; turn < 10 && Object.keys((await it.state()).transfers).length > 0; turn += 1) await it.tick();
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('carries a long output and markup as quoted text only', async () => {
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    it.setOutput(`${'x'.repeat(2_000_000)}\n<b>bold</b> # heading\n\u001b[31mred\u001b[0m`);
    await it.tick(60_000);
    const [text = ''] = it.turns;
    expect(text).toContain('> <b>bold</b> # heading');
    expect(text).not.toContain('\u001b');
    expect(text.length).toBeLessThan(12_000);
  });
});

describe('what is no longer current changes nothing and is counted', () => {
  const settled = (it: ReturnType<typeof world>, seq: number) => ({
    pane: 'w1:p1',
    workspace: 'w1',
    status: 'done',
    seq,
    at: it.now(),
  });

  it('another boot than the stream’s', async () => {
    verifies('extension.wake', 'compat.stale');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.pushed('agent_settled', settled(it, 2), { boot: 'boot_0' });
    expect(it.turns).toEqual([]);
    expect((await it.state()).stale.other_boot).toBe(1);
  });

  it('a position of the stream, and a sequence of a pane, that were handled', async () => {
    verifies('extension.wake', 'compat.stale');
    const it = await bound();
    await it.agent('w1:p1', 'working', 5);
    await it.agent('w1:p1', 'done', 6);
    await it.turnEnded();
    await it.pushed('agent_working', { ...settled(it, 7), status: 'working' }, { position: 1 });
    expect((await it.state()).stale.position_handled).toBe(1);
    await it.pushed('agent_settled', settled(it, 6));
    await it.pushed('agent_working', { ...settled(it, 5), status: 'working' });
    expect((await it.state()).stale.sequence_handled).toBe(2);
    expect(it.turns).toHaveLength(1);
    expect((await it.hud()).bound).toMatchObject([{ status: 'done' }]);
  });

  it('a workspace that was retired', async () => {
    verifies('extension.wake', 'compat.stale');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.pushed('workspace_removed', { workspace: 'w1' });
    await it.pushed('agent_settled', settled(it, 2));
    expect(it.turns).toEqual([]);
    expect((await it.state()).stale.workspace_retired).toBe(1);
  });

  it('a conversation that is no longer the target', async () => {
    verifies('extension.wake', 'compat.stale');
    const it = world({ page: chat(CHAT, project()) });
    await it.begin();
    await it.bind();
    await it.take({ type: 'config', config: { projectPermission: true } });
    await it.press({ name: 'auto', on: true });
    const [row] = Object.values((await it.state()).bindings);
    await it.page({}, chat('https://chatgpt.com/c/33333333', project()));
    await it.take({ type: 'turn_accepted', from: it.from(), text: 'here' });
    await it.take({ type: 'looked', binding: row?.id ?? '', revision: row?.revision ?? 0, fresh: null, inbox: 'none' });
    expect((await it.state()).stale.binding_changed).toBe(1);
  });

  it('an answer about an attempt that is over', async () => {
    verifies('extension.wake', 'compat.stale');
    const it = await bound();
    const outcome = { state: 'sent', messageId: null, url: CHAT } as const;
    await it.take({ type: 'done', from: it.from(), id: 'nobody', attempt: 1, outcome });
    expect(
      await it.take({
        type: 'claim',
        from: it.from(),
        id: 'nobody',
        attempt: 1,
        baseline: { userIds: [], userTurns: 0 },
      }),
    ).toMatchObject({ ok: false });
    expect((await it.state()).stale.attempt_over).toBe(2);
  });
});
