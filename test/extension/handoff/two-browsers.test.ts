/** Two browser profiles that have one chat: its line of work gets one successor by itself. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { beginRuntime, endRuntime, type Profile, profile } from '../profiles.ts';
import { CHAT, chat, project } from '../worker/chat.ts';
import { type HandoffWorldOptions, handoffWorld, NEW } from './world.ts';

// A worker that dies says so; here it dies on purpose.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(async () => {
  vi.restoreAllMocks();
  await endRuntime();
});

type World = ReturnType<typeof handoffWorld>;
const from = { tab: 7, document: 'd7', version: '1.0.0', page: chat(CHAT, project()) };

/** Auto is on, and the chat has grown too long. */
async function long(options: HandoffWorldOptions): Promise<World> {
  const it = handoffWorld(options);
  await it.begin();
  await it.take({ type: 'config', config: { projectPermission: true } });
  await it.take({ type: 'action', from, action: { name: 'auto', on: true }, id: 'a', fresh: null });
  await it.take({ type: 'history', from, turns: [], turnsNamed: 50 });
  return it;
}

/** Time passes in all of them. */
async function pass(browsers: World[], profiles: Profile[], ticks = 12) {
  for (let tick = 0; tick < ticks; tick += 1) {
    await Promise.all(browsers.map((one) => one.tick()));
    for (const one of profiles) await one.quiet();
  }
}

const begun = (browsers: World[]) => browsers.reduce((sum, one) => sum + (one.turns[NEW]?.length ?? 0), 0);
const handoffOf = async (it: World) => (await it.hud()).handoff;

describe('a chat that grew too long, in two browsers', () => {
  it('gets one successor; the other browser leaves its chat as it is, says why, and begins none later', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    await beginRuntime();
    const profiles = [profile('a'), profile('b')];
    const browsers = await Promise.all(profiles.map(({ wakes }) => long({ wakes })));
    await pass(browsers, profiles, 40);
    expect(begun(browsers)).toBe(1);
    const shown = await Promise.all(browsers.map(handoffOf));
    expect(shown.map((one) => one?.phase).sort()).toEqual(['committed', 'failed']);
    const other = shown.findIndex((one) => one?.phase === 'failed');
    expect(shown[other]).toMatchObject({ reason: 'done_elsewhere', copy: null, target: null });
    const state = await browsers[other]?.state();
    expect(Object.values(state?.transfers ?? {})).toEqual([]);
    expect(Object.values(state?.bindings ?? {})).toMatchObject([{ target: { conversation: CHAT } }]);
    // What was said once is not asked for ever.
    const asked = profiles[other]?.said.filter(({ operation }) => operation === 'wake.leave').length;
    await pass(browsers, profiles, 60);
    expect(profiles[other]?.said.filter(({ operation }) => operation === 'wake.leave')).toHaveLength(asked ?? 0);
  });

  it('is a person’s to hand over all the same', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    await beginRuntime();
    const profiles = [profile('a'), profile('b')];
    const [one, two] = (await Promise.all(profiles.map(({ wakes }) => long({ wakes })))) as [World, World];
    await pass([one], profiles);
    await pass([two], profiles);
    expect(await handoffOf(two)).toMatchObject({ phase: 'failed', reason: 'done_elsewhere' });
    expect(await two.press()).toMatchObject({ ok: true });
    await pass([two], profiles);
    expect([one, two].map((it) => it.turns[NEW]?.length)).toEqual([1, 1]);
  });

  it('waits for a person where the other browser’s may have begun', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    await beginRuntime();
    const profiles = [profile('a'), profile('b')] as [Profile, Profile];
    const about = {
      endpoint_ref: (await profiles[0].wakes.registry.endpointRef()) ?? '',
      conversation: CHAT,
      keys: ['handoff:hc:1:abcdefgh'],
    };
    const { registry } = profiles[0].wakes.runtime;
    await registry({ operation: 'wake.leave', ...about });
    const it = await long({ wakes: profiles[1].wakes });
    await pass([it], profiles, 3);
    // It is held: nothing automatic leaves the source meanwhile, and nothing was given to the service.
    expect([(await handoffOf(it))?.phase, it.dispatches.size]).toEqual(['delivering', 0]);
    await registry({ operation: 'wake.done', ...about, outcome: 'uncertain' });
    await pass([it], profiles, 20);
    expect(await handoffOf(it)).toMatchObject({ phase: 'failed', reason: 'doubtful_elsewhere', copy: null });
    expect(it.dispatches.size).toBe(0);
  });

  it('is handed over by the second browser when the first one’s came to nothing', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    await beginRuntime();
    const profiles = [profile('a'), profile('b')];
    const offline: HandoffWorldOptions['lies'] = (one) => ({
      ...one,
      delivery_state: 'browser_offline',
      reason: 'no_browser_took_it',
    });
    const [one, two] = (await Promise.all(
      profiles.map(({ wakes }, index) => long({ wakes, ...(index === 0 ? { lies: offline, asleep: true } : {}) })),
    )) as [World, World];
    await pass([one], profiles, 2);
    expect(await handoffOf(one)).toMatchObject({ phase: 'failed', reason: 'not_delivered' });
    await pass([two], profiles);
    expect(await handoffOf(two)).toMatchObject({ phase: 'committed' });
  });

  it('gets one successor, whichever step the worker of one ends at', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    await beginRuntime();
    const alone = await long({});
    const first = alone.steps();
    await pass([alone], []);
    let committed = 0;
    for (let stopAt = first; stopAt <= alone.steps(); stopAt += 3) {
      const continuityId = `hc:1:step${stopAt}xx`;
      const profiles = [profile('a'), profile('b')];
      const browsers = await Promise.all(
        profiles.map(({ wakes }, index) => long({ wakes, continuityId, ...(index === 0 ? { stopAt } : {}) })),
      );
      await pass(browsers, profiles);
      expect(begun(browsers), `step ${stopAt}`).toBeLessThanOrEqual(1);
      committed += begun(browsers);
    }
    expect(committed).toBeGreaterThan(0);
  });

  it('is handed over as before while the runtime keeps no such list', async () => {
    verifies('extension.two-browsers', 'extension.handoff');
    const it = await long({ wakes: profile('a').wakes });
    await pass([it], []);
    expect(await handoffOf(it)).toMatchObject({ phase: 'committed' });
  });
});
