import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { callMcp, Device, OLD_ORIGIN, ORIGIN, postForm } from './harness.ts';

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

interface Made {
  automation: { client_id: string; device_id: string };
  client_secret: string;
  token_endpoint: string;
}

async function made(): Promise<{ device: Device; made: Made }> {
  const device = await Device.first();
  const answer = await device.post('/automations', { name: 'nightly', device_id: device.deviceId });
  expect(answer.status).toBe(200);
  return { device, made: (await answer.json()) as Made };
}

const tokenOf = ({ automation, client_secret }: Made, origin = ORIGIN) =>
  postForm(
    '/token',
    { grant_type: 'client_credentials', client_id: automation.client_id, client_secret, resource: `${origin}/mcp` },
    { origin },
  );

const accessOf = async (answer: Response) => ((await answer.json()) as { access_token: string }).access_token;

describe('an automation client', () => {
  it('gets a token for an hour without a person, for its own origin and nothing else', async () => {
    verifies('edge.automation');
    const { made: client } = await made();
    expect(client.token_endpoint).toBe(`${ORIGIN}/token`);
    const answer = await tokenOf(client);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'mcp', resource: `${ORIGIN}/mcp` });
    expect(body['refresh_token']).toBeUndefined();
    const token = String(body['access_token']);
    expect((await callMcp(token)).status).toBe(200);
    expect((await callMcp(token, OLD_ORIGIN)).status).toBe(401);
    vi.setSystemTime(Date.now() + 3_601_000);
    expect((await callMcp(token)).status).toBe(401);
  });

  it('is refused with a wrong secret, and its list never shows one', async () => {
    const { device, made: client } = await made();
    const wrong = await tokenOf({ ...client, client_secret: 'x' });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    const list = await (await device.get('/automations')).text();
    expect(list).toContain(client.automation.client_id);
    expect(list).not.toContain('secret');
  });

  it('loses its tokens when its secret is rotated and when it is revoked', async () => {
    const { device, made: client } = await made();
    const target = { client_id: client.automation.client_id };
    const old = await accessOf(await tokenOf(client));
    const rotated = (await (await device.post('/automations/rotate', target)).json()) as Made;
    expect((await callMcp(old)).status).toBe(401);
    expect((await tokenOf(client)).status).toBe(401);
    const token = await accessOf(await tokenOf(rotated));
    expect((await callMcp(token)).status).toBe(200);
    expect((await device.post('/automations/revoke', target)).status).toBe(200);
    expect((await callMcp(token)).status).toBe(401);
    expect((await tokenOf(rotated)).status).toBe(401);
    expect((await device.post('/automations/revoke', target)).status).toBe(200);
    expect((await device.post('/automations/rotate', target)).status).toBe(404);
  });

  it('is made for a device that exists only', async () => {
    const { device } = await made();
    const answer = await device.post('/automations', { name: 'ci', device_id: `dev_${'0'.repeat(26)}` });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'device_not_found' }]);
  });
});
