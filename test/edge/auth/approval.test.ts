import { evictAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { IdentityEnv } from '../../../edge/http/index.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { FakeLink } from '../workstation/fake-link.ts';
import { ask, Client, callMcp, connectorsSeenBy, Device, poll, postJson, type SignInPage } from './harness.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

const bindings = env as unknown as IdentityEnv;
const wrongFor = (page: SignInPage, n = 1) => String((Number(page.code) + n) % 1_000_000).padStart(6, '0');
const told = async (answer: Response): Promise<Record<string, unknown>> => ({
  status: answer.status,
  ...((await answer.json()) as Record<string, unknown>),
});

describe('the six-digit code', () => {
  it('locks its request after five wrong tries, for good, and nothing else changes', async () => {
    verifies('oauth.approval');
    const device = await Device.first();
    const client = await Client.register();
    const page = await client.openPage();
    for (let n = 1; n <= 4; n++) {
      const wrong = await told(
        await device.post('/connectors/approve', { request_id: page.requestId, code: wrongFor(page, n) }),
      );
      expect(wrong).toMatchObject({ status: 403, code: 'invalid_code', tries_left: 5 - n });
      await evictAllDurableObjects();
    }
    const fifth = await told(
      await device.post('/connectors/approve', { request_id: page.requestId, code: wrongFor(page, 5) }),
    );
    expect(fifth).toMatchObject({ status: 423, code: 'locked' });
    const right = await told(await device.post('/connectors/approve', { request_id: page.requestId, code: page.code }));
    expect(right).toMatchObject({ status: 423, code: 'locked' });
    expect(await poll(page)).toMatchObject({ status: 423, state: 'locked' });
    expect((await ask(await client.authorizePath())).status).toBe(423);
    expect((await connectorsSeenBy(device)).connectors).toEqual([]);
    const fresh = client.again();
    expect((await callMcp((await fresh.connect(device)).access_token)).status).toBe(200);
  });

  it('counts tries that come all at once', async () => {
    const device = await Device.first();
    const page = await (await Client.register()).openPage();
    const tries = Array.from({ length: 8 }, (_, n) =>
      device.post('/connectors/approve', { request_id: page.requestId, code: wrongFor(page, n + 1) }),
    );
    const statuses = (await Promise.all(tries)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(4);
    expect(statuses.filter((status) => status === 423)).toHaveLength(4);
  });

  it('of one request opens no other', async () => {
    const device = await Device.first();
    const client = await Client.register();
    const mine = await client.openPage();
    const theirs = await client.again().openPage();
    const answer = await told(
      await device.post('/connectors/approve', { request_id: mine.requestId, code: theirs.code }),
    );
    expect(answer).toMatchObject({ status: 403, code: 'invalid_code' });
  });

  it('sent twice answers with the same connector', async () => {
    const device = await Device.first();
    const page = await (await Client.register()).openPage();
    const approve = () => device.post('/connectors/approve', { request_id: page.requestId, code: page.code });
    const [first, second] = await Promise.all([approve(), approve()]);
    expect(await second?.text()).toBe(await first?.text());
    expect((await connectorsSeenBy(device)).connectors).toHaveLength(1);
  });

  it('is asked for by name only when several sign-ins are open', async () => {
    const device = await Device.first();
    const none = await told(await device.post('/connectors/approve', { code: '000000' }));
    expect(none).toMatchObject({ status: 404, code: 'request_not_found' });
    const client = await Client.register();
    const pages = [await client.openPage(), await client.again().openPage()];
    const several = await told(await device.post('/connectors/approve', { code: pages[0]?.code }));
    expect(several).toMatchObject({ status: 409, code: 'request_ambiguous' });
    expect(several['candidates']).toEqual(pages.map((page) => page.requestId));
  });

  it('is over after ten minutes, and so is its page', async () => {
    const device = await Device.first();
    const page = await (await Client.register()).openPage();
    vi.setSystemTime(Date.now() + 10 * 60_000 + 1);
    const late = await told(await device.post('/connectors/approve', { request_id: page.requestId, code: page.code }));
    expect(late).toMatchObject({ status: 410, code: 'request_expired' });
    expect(await poll(page)).toMatchObject({ status: 410, state: 'expired' });
  });

  it('is stored nowhere, and neither is the page’s token', async () => {
    const page = await (await Client.register()).openPage();
    const dump = await runInDurableObject(bindings.AUTH.getByName('main'), (_, state) =>
      JSON.stringify(state.storage.sql.exec('SELECT * FROM requests').toArray()),
    );
    expect(dump).toContain(page.requestId);
    expect(dump).not.toContain(page.code);
    expect(dump).not.toContain(page.pageToken);
  });
});

describe('who may approve', () => {
  it('is a paired device, and no connector, operator or stranger', async () => {
    verifies('oauth.approval');
    const device = await Device.first();
    const client = await Client.register();
    const { access_token: token } = await client.connect(device);
    const page = await client.again().openPage();
    const body = { request_id: page.requestId, code: page.code };
    for (const bearer of [token, 'operator-secret-for-tests', '', 'x.y.z']) {
      const answer = await told(
        await postJson('/connectors/approve', body, { headers: { authorization: `Bearer ${bearer}` } }),
      );
      expect(answer).toMatchObject({ status: 401, code: 'device_auth_failed', ok: false });
    }
    for (const path of ['/devices', '/connectors', '/automations']) {
      expect((await ask(path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    }
  });

  it('cannot be read off the page’s question: another page’s token opens nothing', async () => {
    const client = await Client.register();
    const mine = await client.openPage();
    const theirs = await client.again().openPage();
    const crossed = await postJson('/authorize/poll', { request_id: mine.requestId, page_token: theirs.pageToken });
    expect(crossed.status).toBe(403);
    const cancelled = await postJson('/authorize/cancel', { request_id: mine.requestId, page_token: theirs.pageToken });
    expect(cancelled.status).toBe(403);
    expect(await poll(mine)).toMatchObject({ state: 'pending' });
  });

  it('may name only a device that exists', async () => {
    const device = await Device.first();
    const page = await (await Client.register()).openPage();
    const answer = await told(
      await device.post('/connectors/approve', { code: page.code, device_id: `dev_${'0'.repeat(26)}` }),
    );
    expect(answer).toMatchObject({ status: 404, code: 'device_not_found' });
    expect(await poll(page)).toMatchObject({ state: 'pending' });
  });
});

describe('open sign-ins', () => {
  it('are at most eight; a ninth of the same address is refused, one of another address finds a place', async () => {
    verifies('oauth.approval');
    const device = await Device.first();
    const client = await Client.register();
    const crowd: SignInPage[] = [];
    for (let n = 0; n < 8; n++) crowd.push(await client.again().openPage({}, { address: '203.0.113.7' }));
    expect((await client.again().openPage({}, { address: '203.0.113.7' })).status).toBe(429);
    const newcomer = await client.again().openPage({}, { address: '198.51.100.9' });
    expect(newcomer.status).toBe(200);
    const open = (await connectorsSeenBy(device)).requests.map((request) => request.request_id);
    expect(open).toHaveLength(8);
    expect(open).toContain(newcomer.requestId);
    expect(open).not.toContain(crowd[0]?.requestId);
  });

  it('can be cancelled from the page', async () => {
    const page = await (await Client.register()).openPage();
    const answer = await postJson('/authorize/cancel', { request_id: page.requestId, page_token: page.pageToken });
    const { redirect } = (await answer.json()) as { redirect: string };
    expect(new URL(redirect).searchParams.get('error')).toBe('access_denied');
    expect(await poll(page)).toMatchObject({ state: 'denied', redirect });
  });

  it('five hundred of them at once leave eight', async () => {
    const device = await Device.first();
    const client = await Client.register();
    const flood = Array.from({ length: 500 }, (_, n) =>
      client.again().openPage({}, { address: `203.0.${Math.floor(n / 250)}.${n % 250}` }),
    );
    const statuses = (await Promise.all(flood)).map((page) => page.status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await connectorsSeenBy(device)).requests).toHaveLength(8);
  });
});

describe('a connector that ends', () => {
  it('is not reported as revoked before every workstation has confirmed, and then is', async () => {
    verifies('oauth.revocation');
    const device = await Device.first();
    const { access_token: token } = await (await Client.register()).connect(device);
    const [connector] = (await connectorsSeenBy(device)).connectors;
    const link = await FakeLink.connect(device);
    const broken = vi.spyOn(Workstation.prototype, 'revokeConnector').mockImplementation(() => {
      throw new Error('the object is being moved');
    });
    const target = { connector_id: connector?.connector_id };
    const first = await told(await device.post('/connectors/revoke', target));
    expect(first).toMatchObject({ status: 503, code: 'connector_revoke_incomplete', retryable: true });
    expect((await callMcp(token)).status).toBe(401);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ state: 'revoking' }]);

    broken.mockRestore();
    await evictAllDurableObjects();
    await connectorsSeenBy(device);
    expect(await runDurableObjectAlarm(bindings.AUTH.getByName('main'))).toBe(true);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ state: 'revoked' }]);
    const tombstones = await runInDurableObject(bindings.WORKSTATION.getByName(device.deviceId), (_, state) =>
      state.storage.sql.exec('SELECT connector_id FROM tombstones').toArray(),
    );
    expect(tombstones).toEqual([target]);
    await link.cut();
  });

  it('by lying idle for thirty days, or by never having fetched its token', async () => {
    const device = await Device.first();
    const client = await Client.register();
    await client.connect(device);
    await client.again().signIn(device);
    vi.setSystemTime(Date.now() + 31 * 24 * 3_600_000);
    await runDurableObjectAlarm(bindings.AUTH.getByName('main'));
    const { connectors } = await connectorsSeenBy(device);
    expect(connectors).toMatchObject([{ ended_why: 'idle' }, { ended_why: 'never_connected' }]);
  });
});
