import { describe, expect, it } from 'vitest';
import { firstRunOf } from '../../../extension/background/setup.ts';
import { stepsOf } from '../../../extension/first-run/steps.tsx';
import { verifies } from '../../verifies.ts';
import { chat, project } from '../worker/chat.ts';
import { world } from '../worker/world.ts';

async function open(page = chat()) {
  const it = world({ page });
  await it.begin();
  const steps = async () => Object.values(stepsOf(firstRunOf(await it.state(), 'en')));
  const trial = async () => {
    const { stream, workspaces } = await it.state();
    const fresh = { boot: stream.boot ?? '', server: stream.server, herdr: 'live', workspaces, agents: [] };
    return it.take({ type: 'trial', tab: it.tab, id: `t${it.steps()}`, fresh });
  };
  return { ...it, steps, trial, first: async () => firstRunOf(await it.state(), 'en') };
}

describe('the first steps', () => {
  it('follow what is really so: connected, bound, arrived', async () => {
    verifies('control-center.first-run');
    const it = await open();
    await it.take({ type: 'link', status: 'host_missing' });
    expect(await it.steps()).toEqual(['now', 'later', 'later']);
    await it.hello();
    expect(await it.steps()).toEqual(['done', 'now', 'later']);
    expect((await it.first()).pages).toMatchObject([{ tab: it.tab, title: 'A chat', receives: false, bound: [] }]);
    await it.bind();
    expect(await it.steps()).toEqual(['done', 'done', 'now']);
    expect(await it.trial()).toMatchObject({ ok: true });
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('sent by hand');
    expect(await it.steps()).toEqual(['done', 'done', 'done']);
    // Auto was never touched.
    expect((await it.hud()).auto.on).toBe(false);
  });

  it('take a person’s own Continue for no wake', async () => {
    const it = await open();
    await it.bind();
    await it.press({ name: 'continue' });
    expect(it.turns).toHaveLength(1);
    expect(await it.steps()).toEqual(['done', 'done', 'now']);
  });

  it('send one wake for one press: a second one waits for the first', async () => {
    verifies('control-center.first-run');
    const it = await open();
    await it.bind();
    await it.page({ busy: true });
    expect(await it.trial()).toMatchObject({ ok: true });
    await it.trial();
    await it.page({ busy: false });
    expect(it.turns.length).toBeLessThanOrEqual(1);
    expect((await it.first()).wake?.state).toMatch(/blocked|waiting/);
  });

  it('tell what has settled, when something has', async () => {
    const it = await open();
    await it.bind();
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect((await it.first()).pages[0]).toMatchObject({ receives: true, settled: 'site' });
    expect(it.turns).toEqual([]);
    await it.trial();
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('have settled');
    expect((await it.hud()).settled).toBeNull();
  });

  it('say why a wake cannot be sent', async () => {
    const it = await open();
    expect(await it.trial()).toEqual({ ok: false, reason: 'unbound' });
    await it.bind();
    await it.page({ draft: true });
    await it.trial();
    expect(it.turns).toEqual([]);
    expect((await it.first()).wake).toEqual({ state: 'blocked', reason: 'user_typing' });
    expect(await it.steps()).toEqual(['done', 'done', 'now']);
    const gone = await open();
    await gone.bind();
    expect(await gone.take({ type: 'trial', tab: gone.tab, id: 't', fresh: null })).toEqual({
      ok: false,
      reason: 'runtime_unavailable',
    });
    await gone.take({ type: 'link', status: 'standby' });
    expect(await gone.trial()).toEqual({ ok: false, reason: 'standby' });
  });

  it('offer a Project’s home to be bound, and ask for its chat before a wake', async () => {
    verifies('extension.binding');
    const home = { ...chat(undefined, project()), place: 'project' as const, conversation: null };
    const it = await open(home);
    await it.bind();
    const { pages } = await it.first();
    expect(pages).toMatchObject([{ place: 'project', bound: ['site'], receives: false }]);
    expect(await it.trial()).toEqual({ ok: false, reason: 'conversation_required' });
  });
});
