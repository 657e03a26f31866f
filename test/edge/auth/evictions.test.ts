/** The life of a connector and of an automation client, every object evicted between any two of its steps. */
import { evictAllDurableObjects } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { freshEdge } from '../workstation/rig.ts';
import { Client, callMcp, connectorsSeenBy, ORIGIN, poll, postForm, type Tokens } from './harness.ts';

afterEach(() => vi.useRealTimers());

async function evicted<T>(step: () => Promise<T>): Promise<T> {
  const answer = await step();
  await evictAllDurableObjects();
  return answer;
}

const tokensIn = async (answer: Response) => (await answer.json()) as Tokens;

it('a connector: registered, approved, exchanged, refreshed, reused, ended', async () => {
  verifies('oauth.code-flow', 'oauth.code-replay', 'oauth.refresh-grace', 'oauth.revocation');
  const { device } = await evicted(() => freshEdge());
  const client = await evicted(() => Client.register());
  const page = await evicted(() => client.openPage());
  const again = await evicted(() => client.openPage());
  expect(again.code).toBe(page.code);
  const approval = { request_id: page.requestId, code: page.code };
  expect((await evicted(() => device.post('/connectors/approve', approval))).status).toBe(200);
  const { redirect } = await evicted(() => poll(page));
  const code = new URL(redirect ?? '').searchParams.get('code') ?? '';
  const first = await tokensIn(await evicted(() => client.exchange(code)));
  expect(await tokensIn(await evicted(() => client.exchange(code)))).toEqual(first);
  expect((await evicted(() => callMcp(first.access_token))).status).toBe(200);
  const second = await tokensIn(await evicted(() => client.refresh(first.refresh_token)));
  expect(await tokensIn(await evicted(() => client.refresh(first.refresh_token)))).toEqual(second);
  expect((await evicted(() => callMcp(second.access_token))).status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + 61_000);
  expect((await evicted(() => client.refresh(first.refresh_token))).status).toBe(400);
  expect((await evicted(() => callMcp(second.access_token))).status).toBe(401);
  const { connectors } = await connectorsSeenBy(device);
  expect(connectors.at(-1)).toMatchObject({ state: 'revoked' });
});

it('an automation client: made, rotated, revoked', async () => {
  verifies('edge.automation');
  const { device } = await evicted(() => freshEdge());
  const wish = { name: 'nightly', device_id: device.deviceId };
  interface Made {
    automation: { client_id: string };
    client_secret: string;
  }
  const made = (await (await evicted(() => device.post('/automations', wish))).json()) as Made;
  const target = { client_id: made.automation.client_id };
  const grant = (secret: string) =>
    evicted(() =>
      postForm('/token', {
        grant_type: 'client_credentials',
        ...target,
        client_secret: secret,
        resource: `${ORIGIN}/mcp`,
      }),
    );
  const first = await tokensIn(await grant(made.client_secret));
  expect((await evicted(() => callMcp(first.access_token))).status).toBe(200);
  const rotated = (await (await evicted(() => device.post('/automations/rotate', target))).json()) as Made;
  expect((await evicted(() => callMcp(first.access_token))).status).toBe(401);
  expect((await grant(made.client_secret)).status).toBe(401);
  const second = await tokensIn(await grant(rotated.client_secret));
  expect((await evicted(() => device.post('/automations/revoke', target))).status).toBe(200);
  expect((await evicted(() => callMcp(second.access_token))).status).toBe(401);
});
