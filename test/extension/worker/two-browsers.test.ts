/** Two browser profiles have bound one chat: two workers, one runtime, one chat that both write into. */
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { beginRuntime, endRuntime, type Profile, profile } from '../profiles.ts';
import { CHAT, chat } from './chat.ts';
import { type WorldOptions, world } from './world.ts';

type World = Awaited<ReturnType<typeof bound>>;

afterEach(endRuntime);

async function bound(options: WorldOptions) {
  const it = world(options);
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  await it.agent('w1:p1', 'working', 1);
  return it;
}

/** Both hear the settle at once; then minutes pass in both. */
async function settled(given: WorldOptions[], profiles: ReturnType<typeof profile>[]) {
  const browsers = await Promise.all(given.map(bound));
  await Promise.all(browsers.map((one) => one.agent('w1:p1', 'done', 2)));
  for (let minute = 0; minute < 4; minute += 1) {
    for (const one of browsers) {
      await one.page({ busy: false });
      await one.tick(60_000);
    }
    for (const one of profiles) await one.quiet();
  }
  return browsers;
}

describe('a settle of a chat that two browsers have bound', () => {
  it('wakes it once, and the other one shows nothing of it', async () => {
    verifies('extension.two-browsers');
    await beginRuntime();
    const turns: string[] = [];
    const profiles = [profile('a'), profile('b')];
    const browsers = await settled(
      profiles.map(({ wakes }) => ({ turns, wakes })),
      profiles,
    );
    expect(turns).toHaveLength(1);
    for (const one of browsers) expect((await one.hud()).settled).toBeNull();
    // The next one is told too, by whichever of them.
    for (const one of browsers) await one.agent('w1:p1', 'working', 3);
    for (const one of browsers) await one.agent('w1:p1', 'done', 4);
    for (const one of browsers) await one.tick(60_000);
    expect(turns).toHaveLength(2);
  });

  it.each(['worker', 'page'] as const)(
    'never wakes it twice when the %s of one ends between two steps',
    async (who) => {
      verifies('extension.two-browsers');
      await beginRuntime();
      const alone = await settled([{}], []);
      const last = alone[0]?.steps() ?? 0;
      for (let at = 12; at <= last; at += 3) {
        const turns: string[] = [];
        const [one, two] = [profile('a'), profile('b')];
        const page = chat(`https://chatgpt.com/c/${who}-${at}`);
        await settled(
          [
            { turns, page, fault: { at, who }, wakes: one.wakes },
            { turns, page, wakes: two.wakes },
          ],
          [one, two],
        );
        expect(turns.length, `step ${at}`).toBeLessThanOrEqual(1);
      }
    },
  );

  it('is told as before while the runtime keeps no such list', async () => {
    verifies('extension.two-browsers');
    const turns: string[] = [];
    const { wakes } = profile('a');
    await settled([{ turns, wakes }], []);
    expect(turns).toHaveLength(1);
  });
});

/** Two browsers in which a settle waits for a person: Auto is off in both. */
async function waiting(): Promise<{ turns: string[]; browsers: World[]; profiles: Profile[] }> {
  await beginRuntime();
  const turns: string[] = [];
  const profiles = [profile('a'), profile('b')];
  const browsers = await Promise.all(profiles.map(({ wakes }) => bound({ turns, wakes })));
  for (const one of browsers) {
    await one.press({ name: 'auto', on: false });
    await one.agent('w1:p1', 'done', 2);
  }
  return { turns, browsers, profiles };
}

const delivery = async (it: World) => (await it.hud()).delivery;

describe('a settle that a person sends by hand', () => {
  it('is sent once, in whichever browser it is pressed, and the other one says why it sends nothing', async () => {
    verifies('extension.two-browsers', 'extension.buttons');
    const { turns, browsers, profiles } = await waiting();
    for (const [index, one] of browsers.entries()) {
      expect(await one.press({ name: 'send_settled' })).toMatchObject({ ok: true });
      await profiles[index]?.quiet();
      expect(turns).toHaveLength(1);
    }
    const [first, second] = browsers as [World, World];
    expect(await delivery(first)).toMatchObject({ state: 'sent' });
    expect(await delivery(second)).toEqual({ kind: 'settled', state: 'blocked', reason: 'done_elsewhere' });
    for (const one of browsers) expect((await one.hud()).settled).toBeNull();
  });

  it('is not sent beside a wake of the other browser, nor the wake after it', async () => {
    verifies('extension.two-browsers', 'extension.buttons');
    const { turns, browsers, profiles } = await waiting();
    const [byHand, byItself] = browsers as [World, World];
    await Promise.all([byHand.press({ name: 'send_settled' }), byItself.press({ name: 'auto', on: true })]);
    for (let minute = 0; minute < 4; minute += 1) {
      for (const one of browsers) await one.page({ busy: false });
      for (const one of browsers) await one.tick(60_000);
      for (const one of profiles) await one.quiet();
    }
    expect(turns).toHaveLength(1);
  });

  it('is a person’s to send where another browser may have sent it, and that one hears of it', async () => {
    verifies('extension.two-browsers', 'extension.buttons');
    const { turns, browsers, profiles } = await waiting();
    const [first, second] = browsers as [World, World];
    const [lost] = profiles as [Profile, Profile];
    const keys = ['embedded/w1/term_w1:p1@2'];
    const endpoint_ref = (await lost.wakes.registry.endpointRef()) ?? '';
    const about = { endpoint_ref, conversation: CHAT, keys };
    await lost.wakes.runtime.registry({ operation: 'wake.leave', ...about });
    await lost.wakes.runtime.registry({ operation: 'wake.done', ...about, outcome: 'uncertain' });
    await second.press({ name: 'send_settled' });
    expect(turns).toHaveLength(1);
    for (const one of profiles) await one.quiet();
    await first.press({ name: 'send_settled' });
    expect(turns).toHaveLength(1);
    expect(await delivery(first)).toMatchObject({ reason: 'done_elsewhere' });
  });

  it('is sent as before while the runtime keeps no such list', async () => {
    const { turns, browsers, profiles } = await waiting();
    const [first] = browsers as [World, World];
    for (const one of profiles) one.setHost(false);
    await first.press({ name: 'send_settled' });
    expect(turns).toHaveLength(1);
  });
});

describe('progress in a chat that two browsers have bound', () => {
  it('is told by one of them in each interval, also when they read different output', async () => {
    verifies('extension.two-browsers', 'extension.progress');
    await beginRuntime();
    const turns: string[] = [];
    const profiles = [profile('a'), profile('b')];
    const browsers = await Promise.all(profiles.map(({ wakes }) => bound({ turns, wakes })));
    const told: number[] = [];
    for (let minute = 0; minute < 45; minute += 1) {
      for (const [index, one] of browsers.entries()) {
        one.setOutput(`line ${minute}.${index}`);
        await one.page({ busy: false });
        await one.tick(60_000);
        await profiles[index]?.quiet();
      }
      told.push(turns.length);
    }
    // Once at first, and again after 20 and after 40 minutes.
    expect([told[0], told[10], told[25], told[44]]).toEqual([1, 1, 2, 3]);
    // A new round is a new claim.
    for (const one of browsers) {
      await one.press({ name: 'auto', on: false });
      await one.agent('w1:p1', 'done', 2);
      await one.agent('w1:p1', 'working', 3);
      await one.press({ name: 'auto', on: true });
    }
    const before = turns.length;
    for (let minute = 0; minute < 5; minute += 1) {
      for (const one of browsers) {
        await one.page({ busy: false });
        await one.tick(60_000);
      }
      for (const one of profiles) await one.quiet();
    }
    expect(turns.slice(before).map((text) => text.includes('> line'))).toEqual([true]);
  });
});
