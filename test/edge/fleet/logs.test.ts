import { afterEach, expect, it, vi } from 'vitest';
import type { Pairing } from '../../../contract/fleet/index.ts';
import { verifies } from '../../verifies.ts';
import { ask, Client, connectorsSeenBy, Device, postForm, postJson } from '../auth/harness.ts';
import { reset } from '../evictions.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** What the Worker and its objects print while `work` runs. */
async function printed(work: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const keep = (line: unknown) => void lines.push(String(line));
  vi.spyOn(console, 'log').mockImplementation(keep);
  vi.spyOn(console, 'error').mockImplementation(keep);
  await work();
  vi.restoreAllMocks();
  return lines;
}

const eventsOf = (lines: string[]) => lines.map((line) => (JSON.parse(line) as { event: string }).event);

it('a sign-in and its end are told in one line each, in order, and no line holds a secret or what a stranger wrote', async () => {
  verifies('oauth.approval', 'oauth.revocation');
  const secrets: string[] = ['operator-secret-for-tests', 'Very Own Host', 'app.host.dev'];
  const lines = await printed(async () => {
    const device = await Device.first();
    const client = await Client.register({ client_name: 'Very Own Host' });
    const page = await client.openPage();
    const wrong = page.code === '000000' ? '000001' : '000000';
    await device.post('/connectors/approve', { request_id: page.requestId, code: wrong });
    const code = await client.signIn(device);
    const tokens = (await (await client.exchange(code)).json()) as { access_token: string; refresh_token: string };
    const { connectors } = await connectorsSeenBy(device);
    await device.post('/connectors/revoke', { connector_id: connectors[0]?.connector_id });
    await client.refresh(tokens.refresh_token);
    const refused = await client.again().openPage();
    await device.post('/connectors/deny', { request_id: refused.requestId });
    secrets.push(page.code, page.pageToken, code, tokens.access_token, tokens.refresh_token, client.verifier);
    secrets.push(client.state, client.clientId, refused.pageToken, await device.token());
  });
  expect(eventsOf(lines)).toEqual([
    'pairing_opened',
    'device_paired',
    'client_registered',
    'sign_in_opened',
    'approval_refused',
    'sign_in_opened',
    'connector_approved',
    'connector_revoked',
    'token_refused',
    'sign_in_opened',
    'sign_in_denied',
  ]);
  for (const line of lines) {
    expect(line).not.toContain('\n');
    for (const secret of secrets) expect(line).not.toContain(secret);
  }
});

it('says that a sign-in was locked, and why a stranger was refused', async () => {
  const lines = await printed(async () => {
    const device = await Device.first();
    const page = await (await Client.register()).openPage();
    const wrong = page.code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) {
      await device.post('/connectors/approve', { request_id: page.requestId, code: wrong });
    }
    await postJson('/register', { redirect_uris: [] });
    await ask('/authorize?client_id=nobody');
    await postForm('/token', { grant_type: 'authorization_code', client_id: 'nobody', code: 'a:b:c' });
    await ask('/devices', { headers: { authorization: 'Bearer a.b.c' } });
    await postJson('/devices/pairings', {}, { headers: { authorization: 'Bearer guess' } });
  });
  const events = eventsOf(lines);
  expect(events.filter((event) => event === 'approval_refused')).toHaveLength(4);
  expect(events.slice(-6)).toEqual([
    'sign_in_locked',
    'client_refused',
    'sign_in_refused',
    'token_refused',
    'device_refused',
    'pairing_refused',
  ]);
  expect(lines.at(-2)).toContain('device_auth_failed');
  expect(lines.join()).not.toContain('guess');
});

it('tells every change of a device', async () => {
  verifies('fleet.device-lifecycle');
  const lines = await printed(async () => {
    const device = await Device.first();
    const second = await Device.unpaired();
    await second.join((await (await device.post('/devices/pairings', {})).json()) as Pairing);
    const target = { device_id: second.deviceId };
    await device.post('/devices/rename', { ...target, name: 'private name' });
    for (const change of ['pause', 'resume', 'suspend', 'restore', 'revoke']) {
      await device.post(`/devices/${change}`, target);
    }
  });
  expect(eventsOf(lines).slice(4)).toEqual([
    'device_renamed',
    'device_paused',
    'device_resumed',
    'device_authorization',
    'device_authorization',
    'device_authorization',
  ]);
  expect(lines.join()).not.toContain('private name');
});
