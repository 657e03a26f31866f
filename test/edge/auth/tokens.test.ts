import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { IdentityEnv } from '../../../edge/http/index.ts';
import { forgetDevices } from '../../../edge/mcp/index.ts';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { call } from '../mcp/client.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { ask, Client, callMcp, connectorsSeenBy, Device, postForm, type Tokens } from './harness.ts';

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const HOUR = 3_600_000;

async function connected(): Promise<{ device: Device; client: Client; tokens: Tokens }> {
  const device = await Device.first();
  const client = await Client.register();
  return { device, client, tokens: await client.connect(device) };
}

describe('a refresh token', () => {
  it('used by two requests at once gives both the same successor', async () => {
    verifies('oauth.refresh-grace');
    const { client, tokens } = await connected();
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.refresh(tokens.refresh_token)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    const successor = JSON.parse(texts[0] ?? '') as Tokens;
    expect((await callMcp(successor.access_token)).status).toBe(200);
    expect((await client.refresh(successor.refresh_token)).status).toBe(200);
  });

  it('presented late, inside the grace, gives the same successor even after that one was used', async () => {
    verifies('oauth.refresh-grace');
    const { client, tokens } = await connected();
    const first = await (await client.refresh(tokens.refresh_token)).text();
    await client.refresh((JSON.parse(first) as Tokens).refresh_token);
    vi.setSystemTime(Date.now() + 50_000);
    expect(await (await client.refresh(tokens.refresh_token)).text()).toBe(first);
  });

  it('reused after the grace ends the family, newest tokens included', async () => {
    verifies('oauth.refresh-grace');
    const { device, client, tokens } = await connected();
    const newest = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens;
    vi.setSystemTime(Date.now() + 61_000);
    const reused = await client.refresh(tokens.refresh_token);
    expect(reused.status).toBe(400);
    expect(await reused.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await client.refresh(newest.refresh_token)).status).toBe(400);
    expect((await callMcp(newest.access_token)).status).toBe(401);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ ended_why: 'secret_reused' }]);
  });

  it('of another client is refused and stays good', async () => {
    const { client, tokens } = await connected();
    const other = await Client.register({ client_name: 'Other' });
    expect((await other.refresh(tokens.refresh_token)).status).toBe(400);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  });

  it('keeps working for months of daily use, and ends after thirty idle days', async () => {
    const { client, tokens } = await connected();
    let current = tokens;
    const start = Date.now();
    for (let day = 1; day <= 60; day += 20) {
      vi.setSystemTime(start + day * 24 * HOUR);
      current = (await (await client.refresh(current.refresh_token)).json()) as Tokens;
      expect(current.access_token).toBeTypeOf('string');
    }
    vi.setSystemTime(Date.now() + 31 * 24 * HOUR);
    const idle = await client.refresh(current.refresh_token);
    expect(await idle.json()).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('an access token', () => {
  it('lives eight hours; then it is 401 with invalid_token', async () => {
    verifies('oauth.expired-token');
    const { tokens } = await connected();
    const start = Date.now();
    vi.setSystemTime(start + 8 * HOUR - 60_000);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    vi.setSystemTime(start + 8 * HOUR + 60_000);
    const expired = await callMcp(tokens.access_token);
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('that is missing, malformed or invented is 401 with the absolute challenge, in JSON', async () => {
    for (const token of [undefined, 'x', `conn_${'0'.repeat(32)}:abc:def`, 'y'.repeat(5000)]) {
      const answer = await callMcp(token);
      expect(answer.status).toBe(401);
      const challenge = answer.headers.get('www-authenticate') ?? '';
      expect(challenge).toMatch(
        /^Bearer resource_metadata="https:\/\/edge\.test\/\.well-known\/oauth-protected-resource\/mcp", scope="mcp"/,
      );
      expect(challenge.includes('invalid_token')).toBe(token !== undefined);
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } });
    }
  });
});

describe('the last use', () => {
  it('is written once a day, however often the connector calls', async () => {
    const { device, client, tokens } = await connected();
    const lastUse = async () => (await connectorsSeenBy(device)).connectors[0]?.last_used_at_ms;
    const start = Date.now();
    vi.setSystemTime(start);
    expect(await lastUse()).toBeUndefined();
    await callMcp(tokens.access_token);
    expect(await lastUse()).toBe(start);
    vi.setSystemTime(start + 7 * HOUR);
    await callMcp(tokens.access_token);
    expect(await lastUse()).toBe(start);
    const next = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens;
    vi.setSystemTime(start + 24 * HOUR);
    expect((await callMcp(next.access_token)).status).toBe(401);
    const third = (await (await client.refresh(next.refresh_token)).json()) as Tokens;
    await callMcp(third.access_token);
    expect(await lastUse()).toBe(start + 24 * HOUR);
  });
});

describe('revoking', () => {
  it('makes the next call 401, and the second account of the same app lives on', async () => {
    verifies('oauth.revocation');
    const { device, client, tokens } = await connected();
    const second = await client.again().connect(device);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    const [first] = (await connectorsSeenBy(device)).connectors;
    const revoked = await device.post('/connectors/revoke', { connector_id: first?.connector_id });
    expect(await revoked.json()).toMatchObject({
      ok: true,
      confirmed_by: [device.deviceId],
      connector: { state: 'revoked', ended_why: 'revoked_by_owner' },
    });

    const call = await callMcp(tokens.access_token);
    expect(call.status).toBe(401);
    expect(call.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const refresh = await client.refresh(tokens.refresh_token);
    expect([refresh.status, refresh.headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(await refresh.json()).toMatchObject({ error: 'invalid_grant' });
    for (const path of ['oauth-protected-resource/mcp', 'oauth-authorization-server', 'openid-configuration']) {
      expect((await ask(`/.well-known/${path}`)).status).toBe(200);
    }
    expect((await callMcp(second.access_token)).status).toBe(200);
    expect((await client.refresh(second.refresh_token)).status).toBe(200);
    const anew = await client.again().connect(device);
    expect((await callMcp(anew.access_token)).status).toBe(200);
  });

  it('leaves nothing of the grant in the storage', async () => {
    const { device, client, tokens } = await connected();
    await client.refresh(tokens.refresh_token);
    const [first] = (await connectorsSeenBy(device)).connectors;
    const rows = (table: string) =>
      runInDurableObject((env as unknown as IdentityEnv).AUTH.getByName('main'), (_, state) =>
        JSON.stringify(state.storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
      );
    const held = await rows('entries');
    expect(held).toContain(first?.connector_id);
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      expect(held + (await rows('spent'))).not.toContain(secret.split(':')[2]);
    }
    await device.post('/connectors/revoke', { connector_id: first?.connector_id });
    expect(await rows('entries')).not.toContain(first?.connector_id);
    expect(await rows('spent')).toBe('[]');
  });

  it('twice gives the same answer, and an unknown id its own', async () => {
    const { device } = await connected();
    const [first] = (await connectorsSeenBy(device)).connectors;
    const target = { connector_id: first?.connector_id };
    await device.post('/connectors/revoke', target);
    expect((await device.post('/connectors/revoke', target)).status).toBe(200);
    const unknown = await device.post('/connectors/revoke', { connector_id: `conn_${'0'.repeat(32)}` });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'connector_not_found' }]);
  });

  it('by the host itself ends the connector with its refresh token, and only the token with an access token', async () => {
    const { device, client, tokens } = await connected();
    const fields = { client_id: client.clientId };
    expect((await postForm('/revoke', { ...fields, token: tokens.access_token })).status).toBe(200);
    expect((await callMcp(tokens.access_token)).status).toBe(401);
    const next = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens;
    expect((await callMcp(next.access_token)).status).toBe(200);
    const stranger = await Client.register({ client_name: 'Stranger' });
    await postForm('/revoke', { client_id: stranger.clientId, token: next.refresh_token });
    expect((await callMcp(next.access_token)).status).toBe(200);
    await postForm('/revoke', { ...fields, token: next.refresh_token });
    expect((await callMcp(next.access_token)).status).toBe(401);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ ended_why: 'signed_out' }]);
  });
});

it('an access token that its host gives back is refused at the next call, also where it was remembered', async () => {
  verifies('oauth.revocation');
  const { device, client, tokens } = await connected();
  const link = await FakeLink.connect(device);
  link.onCall = ({ call: envelope }) => link.answer(envelope.dispatch_id, toolResult({ ok: true }));
  const read = () => call('herdr_fs_read', { path: '/a', device: device.deviceId }, { token: tokens.access_token });
  forgetDevices();
  expect((await read()).status).toBe(200);
  expect((await postForm('/revoke', { client_id: client.clientId, token: tokens.access_token })).status).toBe(200);
  expect((await read()).status).toBe(401);
  expect(link.calls).toHaveLength(1);
  await link.cut();
});

describe('the token endpoint', () => {
  it.each([
    ['no grant type', { code: 'x' }, 400, 'invalid_request'],
    ['an unknown grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [
      'an unknown client',
      { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'a:b:c' },
      401,
      'invalid_client',
    ],
    ['an unknown grant', { grant_type: 'refresh_token', refresh_token: 'a:b:c' }, 400, 'invalid_grant'],
    ['a code of no shape', { grant_type: 'authorization_code', code: 'junk' }, 400, 'invalid_grant'],
    ['client credentials from a registered client', { grant_type: 'client_credentials' }, 400, 'unauthorized_client'],
  ])('answers %s in the words of the standard', async (_, fields, status, error) => {
    verifies('oauth.code-flow');
    const client = await Client.register();
    const answer = await postForm('/token', { client_id: client.clientId, ...fields });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('refuses GET, another content type and a large body', async () => {
    expect((await ask('/token')).status).toBe(405);
    const html = await ask('/token', { method: 'POST', headers: { 'content-type': 'text/html' }, body: 'x' });
    expect([html.status, await html.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    expect((await postForm('/token', { grant_type: 'x', code: 'y'.repeat(40_000) })).status).toBe(413);
  });
});
