import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project } from '../worker/chat.ts';
import { handoffWorld, NEW } from './world.ts';

// The worker says when its storage failed; here it fails on purpose, hundreds of times.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

type World = ReturnType<typeof handoffWorld>;

async function open(options: Parameters<typeof handoffWorld>[0] = {}): Promise<World> {
  const it = handoffWorld(options);
  await it.begin();
  return it;
}
async function whole(it: World): Promise<void> {
  await it.press();
  for (let tick = 0; tick < 12 && Object.keys((await it.state()).transfers).length > 0; tick += 1) await it.tick();
  await it.tick(); // what the runtime has not confirmed is told again
}
const rows = async (it: World) => Object.values((await it.state()).bindings);

const AUTO_ON: Event = {
  type: 'action',
  from: { tab: 7, document: 'd7', version: '1.0.0', page: chat() },
  action: { name: 'auto', on: true },
  id: 'a',
  fresh: null,
};

describe('a handoff in the whole worker', () => {
  it('moves a Project’s target in one write, with its Queue; key, chain and the source’s other rows stay', async () => {
    verifies('extension.handoff', 'compat.move');
    const it = await open();
    const [before] = await rows(it);
    await it.take({
      type: 'page',
      from: { tab: 7, document: 'd7', version: '1.0.0', page: chat(CHAT, project()) },
      state: { busy: false, draft: true, card: false, visible: true },
    });
    await it.take({
      type: 'queue_add',
      from: { tab: 7, document: 'd7', version: '1.0.0', page: chat(CHAT, project()) },
      entry: { id: 'q1', text: 'next', createdAt: 1_764_500_000_000 },
    });
    await whole(it);
    const [after] = await rows(it);
    expect(after).toMatchObject({
      id: before?.id,
      scopeKey: project().key,
      continuityId: before?.continuityId,
      target: { conversation: NEW },
    });
    expect(after?.revision).toBe((before?.revision ?? 0) + 1);
    expect(it.turns[NEW]?.filter((text) => text.includes('HERDR_CONTINUITY_REF'))).toHaveLength(1);
    expect((await it.state()).queues[CHAT]).toBeUndefined();
    expect(it.moved).toEqual(['br_source→br_target']);
    expect(it.retired).toEqual([7]);
    expect((await it.hud()).handoff).toMatchObject({ phase: 'committed', copy: null, target: NEW });
    expect((await it.state()).cutovers).toEqual({});
  });

  it('moves a plain chat’s rows and its Auto to the new one', async () => {
    verifies('extension.handoff');
    const it = await open({ inProject: false });
    await it.take(AUTO_ON);
    await whole(it);
    expect(await rows(it)).toMatchObject([{ scope: 'conversation', scopeKey: NEW, target: { conversation: NEW } }]);
    expect((await it.state()).auto.conversations).toEqual({ [NEW]: true });
  });

  it('begins without a bound workspace when the chain resolves live; then only Auto and the Queue move', async () => {
    verifies('extension.handoff');
    const it = await open({ inProject: false, bound: false });
    await it.take(AUTO_ON);
    await whole(it);
    expect(await rows(it)).toEqual([]);
    expect((await it.state()).auto.conversations).toEqual({ [NEW]: true });
    expect((await it.hud()).handoff?.phase).toBe('committed');
    const gone = await open({ inProject: false, bound: false, chain: 'gone' });
    await whole(gone);
    expect((await gone.hud()).handoff).toMatchObject({ phase: 'failed', reason: 'continuity_unavailable', copy: null });
    expect(gone.opened).toEqual([]);
  });

  it('a worker that dies between any two of its steps: one message, one new chat’s worth of work, nothing lost', async () => {
    verifies('extension.handoff');
    const counted = await open();
    const first = counted.steps();
    await whole(counted);
    const last = counted.steps();
    expect(last - first).toBeGreaterThan(30);
    for (let stopAt = first + 1; stopAt <= last; stopAt += 1) {
      const it = await open({ stopAt });
      await whole(it);
      const said = Object.values(it.turns).flat();
      const sent = said.filter((text) => text.includes('HERDR_CONTINUITY_REF'));
      expect(sent.length, `stopped at ${stopAt}`).toBeLessThanOrEqual(1);
      const { transfers, handed } = await it.state();
      const [row] = await rows(it);
      const there = row?.target?.conversation;
      const phase = handed[CHAT]?.as ?? Object.values(transfers)[0]?.phase ?? 'never begun';
      // It has moved, or it stays with its source and says so; what was sent is never offered again.
      expect(['committed', 'failed', 'uncertain', 'never begun'], `stopped at ${stopAt}`).toContain(phase);
      expect(there, `stopped at ${stopAt}`).toBe(phase === 'committed' ? NEW : CHAT);
      if (sent.length > 0) expect(handed[CHAT]?.copy ?? null, `stopped at ${stopAt}`).toBeNull();
      expect((await it.state()).cutovers, `stopped at ${stopAt}`).toEqual({});
      if (phase === 'committed') expect(it.moved.length, `stopped at ${stopAt}`).toBeGreaterThanOrEqual(1);
    }
  });

  it('a storage that refuses any one of its writes: one message at most, and the work is where the bar says that it is', async () => {
    verifies('extension.handoff');
    const counted = await open();
    const first = counted.steps();
    await whole(counted);
    const last = counted.steps();
    let refused = 0;
    for (let failAt = first + 1; failAt <= last; failAt += 1) {
      const it = await open({ failAt });
      await whole(it);
      const sent = Object.values(it.turns).flat();
      expect(sent.length, `refused at ${failAt}`).toBeLessThanOrEqual(1);
      const { transfers, handed } = await it.state();
      const phase = handed[CHAT]?.as ?? Object.values(transfers)[0]?.phase ?? 'never begun';
      if (phase !== 'committed') refused += 1;
      expect((await rows(it))[0]?.target?.conversation, `refused at ${failAt}`).toBe(
        phase === 'committed' ? NEW : CHAT,
      );
      if (sent.length > 0) expect(handed[CHAT]?.copy ?? null, `refused at ${failAt}`).toBeNull();
    }
    expect(refused).toBeLessThan(last - first);
  });

  it('a target that was closed stays uncertain, sends nothing, and is found again by a person’s press', async () => {
    verifies('extension.handoff');
    const it = await open({ swallowsProof: true });
    await whole(it);
    expect((await it.hud()).handoff).toMatchObject({ phase: 'uncertain', copy: null });
    expect((await it.hud()).actions.handoff).toBeNull();
    expect(it.turns[NEW]).toHaveLength(1);
    await it.press();
    expect((await it.hud()).handoff?.phase).toBe('uncertain');
    // The person opens the new chat: its page shows the mark.
    await it.show(50, chat(NEW, it.project));
    expect(await it.press()).toMatchObject({ ok: true });
    expect((await it.hud()).handoff?.phase).toBe('committed');
    expect(it.turns[NEW]).toHaveLength(1);
    expect(await rows(it)).toMatchObject([{ target: { conversation: NEW } }]);
  });

  it('in doubt it keeps nobody waiting: who writes on in the source stays there, who writes on in the new chat has moved', async () => {
    verifies('extension.handoff');
    const stays = await open({ swallowsProof: true });
    await whole(stays);
    const at = (tab: number, page: ReturnType<typeof chat>) => ({ tab, document: `d${tab}`, version: '1.0.0', page });
    await stays.take({
      type: 'turn_accepted',
      from: at(7, chat(CHAT, project())),
      text: 'go on here',
      submitted: 'person',
    });
    expect((await stays.state()).transfers).toEqual({});
    expect((await stays.hud()).handoff).toMatchObject({ phase: 'failed', copy: null });
    expect((await rows(stays))[0]?.target?.conversation).toBe(CHAT);
    const goes = await open({ swallowsProof: true });
    await whole(goes);
    await goes.show(50, chat(NEW, goes.project));
    await goes.take({
      type: 'turn_accepted',
      from: at(50, chat(NEW, project())),
      text: 'go on there',
      submitted: 'person',
    });
    expect((await rows(goes))[0]?.target?.conversation).toBe(NEW);
    expect(goes.turns[NEW]).toHaveLength(1);
  });

  it('words of a person in the new page are left alone; then the prompt is offered, and a second press begins anew', async () => {
    verifies('extension.handoff');
    const it = await open({ draft: true });
    await whole(it);
    expect(it.turns).toEqual({});
    const { handoff } = await it.hud();
    expect(handoff).toMatchObject({
      phase: 'failed',
      reason: 'not_delivered',
      copy: expect.stringContaining('HERDR_CONTINUITY_REF'),
    });
    expect((await rows(it))[0]?.target?.conversation).toBe(CHAT);
  });

  it.each<[string, Parameters<typeof handoffWorld>[0], string]>([
    [
      'the new chat lies in another Project',
      { born: () => chat(NEW, project(`g-p-${'f'.repeat(32)}`)) },
      'target_project_mismatch',
    ],
    [
      'a provider calls the source the new chat',
      { lies: (one) => ({ ...one, delivery_state: 'applied', canonical_url: CHAT }) },
      'target_is_source',
    ],
  ])('%s: the source stays the place, and nothing is offered again', async (_, options, reason) => {
    verifies('extension.handoff');
    const it = await open(options);
    await whole(it);
    expect((await it.hud()).handoff).toMatchObject({ phase: 'failed', reason, copy: null });
    expect((await rows(it))[0]?.target?.conversation).toBe(CHAT);
    expect(it.moved).toEqual([]);
  });

  it('a provider that says applied and has nothing is believed in nothing', async () => {
    verifies('extension.handoff');
    const it = await open({ draft: true, lies: (one) => ({ ...one, delivery_state: 'applied', canonical_url: NEW }) });
    await it.press();
    for (let tick = 0; tick < 8; tick += 1) await it.tick();
    expect((await it.hud()).handoff).toMatchObject({ phase: 'uncertain', copy: null });
    expect((await rows(it))[0]?.target?.conversation).toBe(CHAT);
  });

  it('a renamed Project is the same Project', async () => {
    verifies('extension.handoff');
    const it = await open({ born: () => chat(NEW, { ...project(), name: 'Renamed' }) });
    await whole(it);
    expect((await it.hud()).handoff?.phase).toBe('committed');
  });

  it('a target that is bound to other work is not taken over', async () => {
    verifies('extension.handoff');
    const it = await open({ inProject: false, swallowsProof: true });
    await whole(it);
    await it.take({
      type: 'hello',
      boot: 'b1',
      position: 0,
      replaying: false,
      at: 1,
      fresh: {
        boot: 'b1',
        server: 'embedded',
        herdr: 'live',
        workspaces: [
          { id: 'w1', label: 'site' },
          { id: 'w2', label: 'other' },
        ],
        agents: [],
      },
    });
    await it.show(50, chat(NEW));
    await it.take({ type: 'bind', tab: 50, page: chat(NEW), workspace: 'w2', continuityId: 'hc:2:other' });
    await it.press();
    expect((await it.hud()).handoff).toMatchObject({ phase: 'failed', reason: 'target_already_bound', copy: null });
    expect((await rows(it)).map(({ target }) => target?.conversation).sort()).toEqual([CHAT, NEW].sort());
  });

  it('two at once are one, a working workspace and another one’s site begin none', async () => {
    verifies('extension.handoff');
    const busy = await open();
    busy.working(true);
    expect(await busy.press()).toEqual({ ok: false, reason: 'workspace_busy' });
    const it = await open({ swallowsProof: true });
    const second = chat('https://chatgpt.com/c/44444444-dddd', project());
    await it.show(8, second);
    await whole(it);
    expect(await it.press(8)).toEqual({ ok: false, reason: 'transfer_active' });
    await it.show(9, {
      ...chat('https://chat.deepseek.com/a/chat/s/55555555', 'none'),
      site: 'deepseek',
      url: 'https://chat.deepseek.com/a/chat/s/55555555',
    });
    expect(await it.press(9)).toEqual({ ok: false, reason: 'handoff_unsupported' });
    expect(it.turns[NEW]).toHaveLength(1);
  });
});
