/** Two browser profiles have bound one chat: two workers, one runtime, one chat that both write into. */
import { afterEach, describe, expect, it } from 'vitest';
import { EXTENSION_ROUTE, type RegistryAnswer, type RegistryRequest } from '../../../contract/extension/index.ts';
import { ask, socketOf } from '../../runtime-a-b/http/extension/client.ts';
import { type TestRuntime, testRuntime } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, type WorldOptions, world } from './world.ts';

let rt: TestRuntime | undefined;
afterEach(async () => {
  await rt?.end();
  rt = undefined;
});

/** What a browser has to do with the runtime; `quiet` once everything that was said has been answered. */
function profile(seed: string, up = () => true) {
  const open = new Set<Promise<unknown>>();
  async function send(request: RegistryRequest): Promise<RegistryAnswer | null> {
    if (rt === undefined || !up()) return null;
    const options = { method: 'POST', body: JSON.stringify(request) };
    const { status, body } = await ask(socketOf(rt.stateDir), EXTENSION_ROUTE.registry, options);
    return status === 200 ? (body as unknown as RegistryAnswer) : null;
  }
  const registry = (request: RegistryRequest) => {
    const answer = send(request);
    open.add(answer);
    void answer.finally(() => open.delete(answer));
    return answer;
  };
  const register = {
    operation: 'endpoint.register',
    profile_seed: seed.repeat(64),
    browser_family: 'chromium',
    extension_version: '1.0.0',
  } as const;
  const endpointRef = async () => {
    const answer = await registry(register);
    return answer?.ok && 'consent_revision' in answer ? answer.endpoint_ref : null;
  };
  return {
    wakes: { registry: { endpointRef }, runtime: { registry } },
    async quiet() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}

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
    rt = await testRuntime();
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
      rt = await testRuntime();
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
