/** Auto in two browser profiles that have bound one chat: an answer is continued by one of them. */
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { OPEN_ANSWER, turn } from '../auto/support.ts';
import { beginRuntime, endRuntime, type Profile, profile } from '../profiles.ts';
import { CHAT, chat } from './chat.ts';
import { models } from './models.ts';
import { type Fault, type WorldOptions, world } from './world.ts';

afterEach(endRuntime);

type World = ReturnType<typeof world>;

async function bound(options: WorldOptions): Promise<World> {
  const it = world({ models: models(), ...options });
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  return it;
}

/** Each of them sees the answer end; then minutes pass in all of them. */
async function answered(browsers: World[], profiles: Profile[], id: string | null = 'a1', minutes = 5) {
  const given = turn(OPEN_ANSWER, id);
  await Promise.all(browsers.map((one) => one.turnEnded(given)));
  for (let minute = 0; minute < minutes; minute += 1) {
    for (const one of browsers) {
      await one.page({ busy: false });
      await one.tick(60_000);
    }
    for (const one of profiles) await one.quiet();
  }
}

const judgeOf = async (it: World, conversation = CHAT) => (await it.state()).judges[conversation];

describe('an answer in a chat that two browsers have bound', () => {
  it('is continued once; the other browser has nothing in its hands, counts no failure, and counts the message', async () => {
    verifies('extension.two-browsers', 'extension.auto');
    await beginRuntime();
    const turns: string[] = [];
    const profiles = [profile('a'), profile('b')];
    const browsers = await Promise.all(profiles.map(({ wakes }) => bound({ turns, wakes })));
    await answered(browsers, profiles);
    expect(turns).toHaveLength(1);
    const judges = await Promise.all(browsers.map((one) => judgeOf(one)));
    for (const judge of judges)
      expect(judge).toMatchObject({ sending: null, judging: null, retries: 0, nudges: 1, sealed: { id: 'a1' } });
    expect(judges.map((judge) => judge?.result?.why).sort()).toEqual(['continued', 'continued_elsewhere']);
    for (const one of browsers) expect((await one.hud()).judge).toMatchObject({ mark: 'sent' });
    // The next answer is another one, and is continued too.
    await answered(browsers, profiles, 'a2');
    expect(turns).toHaveLength(2);
  });

  it.each(['worker', 'page'] as const)(
    'is never continued twice when the %s of one ends between two steps',
    async (who) => {
      verifies('extension.two-browsers', 'extension.auto');
      await beginRuntime();
      const alone = await bound({});
      const first = alone.steps();
      await answered([alone], [], 'a1', 2);
      for (let at = first; at <= alone.steps(); at += 2) {
        const turns: string[] = [];
        const page = chat(`https://chatgpt.com/c/${who}-${at}`);
        const fault: Fault = { at, who };
        const profiles = [profile('a'), profile('b')];
        const [one, two] = await Promise.all(
          profiles.map(({ wakes }, index) => bound({ turns, page, wakes, ...(index === 0 ? { fault } : {}) })),
        );
        if (!one || !two) throw new Error('two browsers');
        await answered([one, two], profiles);
        expect(turns.length, `step ${at}`).toBeLessThanOrEqual(1);
        for (const browser of [one, two])
          expect((await judgeOf(browser, page.conversation ?? ''))?.sending?.doubtful, `step ${at}`).not.toBe(false);
      }
    },
  );

  it('of which no page gives an id is not claimed: the same words may end two answers', async () => {
    verifies('extension.two-browsers');
    await beginRuntime();
    const mine = profile('a');
    const it = await bound({ wakes: mine.wakes });
    await answered([it], [mine], null);
    expect(it.turns).toHaveLength(1);
    expect(mine.said.filter(({ operation }) => operation === 'wake.claim')).toEqual([]);
  });

  it('is continued as before while the runtime cannot be asked', async () => {
    verifies('extension.two-browsers');
    const it = await bound({ wakes: profile('a').wakes });
    await answered([it], []);
    expect(it.turns).toHaveLength(1);
  });

  it('leaves a person’s draft as it is when the claim is over right before Send', async () => {
    verifies('extension.two-browsers');
    const answers = { 'wake.claim': 'yours', 'wake.leave': 'sent' } as Readonly<Record<string, 'yours' | 'sent'>>;
    const wakes: WorldOptions['wakes'] = {
      registry: { endpointRef: async () => `bep_${'0'.repeat(32)}` },
      runtime: { registry: async ({ operation }) => ({ ok: true, wake: answers[operation] ?? 'yours' }) },
    };
    const it = await bound({ wakes });
    await it.turnEnded(turn(OPEN_ANSWER));
    expect([it.turns, it.composer()]).toEqual([[], '']);
    expect(await judgeOf(it)).toMatchObject({ sending: null, retries: 0, result: { why: 'message_in_flight' } });
    it.write('my own words');
    await it.page({ draft: true });
    for (let minute = 0; minute < 5; minute += 1) await it.tick(60_000);
    expect([it.turns, it.composer()]).toEqual([[], 'my own words']);
  });
});
