import { evictAllDurableObjects } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { reset } from '../evictions.ts';
import { ask, Client, callMcp, connectorsSeenBy, Device, OLD_ORIGIN, poll, REDIRECT, readPage } from './harness.ts';

afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

const invalidGrant = async (answer: Response) => {
  expect(answer.status).toBe(400);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
};

describe('a host signs in', () => {
  it.each([false, true])(
    'registers, is approved from a paired workstation, and calls (objects evicted between: %s)',
    async (evicted) => {
      verifies('oauth.code-flow', 'oauth.approval', 'oauth.consent');
      const pause = async () => {
        if (evicted) await evictAllDurableObjects();
      };
      const device = await Device.first();
      await pause();
      const client = await Client.register();
      await pause();
      const page = await client.openPage();
      expect(page.status).toBe(200);
      expect(page.code).toMatch(/^\d{6}$/);
      await pause();
      expect(await poll(page)).toMatchObject({ status: 202, state: 'pending' });

      const approved = await device.post('/connectors/approve', { code: page.code });
      expect(approved.status).toBe(200);
      await pause();

      const done = await poll(page);
      expect(done).toMatchObject({ status: 200, state: 'approved' });
      const target = new URL(done.redirect ?? '');
      expect(`${target.origin}${target.pathname}`).toBe(REDIRECT);
      expect(target.searchParams.get('state')).toBe(client.state);
      expect(target.searchParams.get('iss')).toBe('https://edge.test');
      await pause();
      expect((await poll(page)).redirect).toBe(done.redirect);

      const code = target.searchParams.get('code') ?? '';
      const answer = await client.exchange(code);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const text = await answer.text();
      const tokens = JSON.parse(text) as Record<string, unknown>;
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 28_800, resource: 'https://edge.test/mcp' });
      await pause();
      expect(await (await client.exchange(code)).text()).toBe(text);

      const refreshed = await client.refresh(String(tokens['refresh_token']));
      expect(refreshed.status).toBe(200);
      const successor = await refreshed.text();
      await pause();
      expect(await (await client.refresh(String(tokens['refresh_token']))).text()).toBe(successor);

      const { access_token: access } = JSON.parse(successor) as { access_token: string };
      expect((await callMcp(access)).status).toBe(200);
      expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ state: 'approved', label: 'Test Host' }]);
    },
  );

  it('gets a read-only connector for one device when the approval says so', async () => {
    verifies('oauth.code-flow');
    const device = await Device.first();
    const client = await Client.register();
    const options = { read_only: true, device_id: device.deviceId, label: 'Only looking' };
    const { access_token: token } = await client.connect(device, options);
    expect((await callMcp(token)).status).toBe(200);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([
      { label: 'Only looking', read_only: true, device_id: device.deviceId, approved_by: device.deviceId },
    ]);
  });

  it('as a confidential client by Basic, and with a JSON body at an alias', async () => {
    const device = await Device.first();
    const client = await Client.register({ token_endpoint_auth_method: undefined });
    expect(client.clientSecret).toBeTypeOf('string');
    const code = await client.signIn(device);
    const basic = await ask('/oauth/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`,
      },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: client.verifier,
      }),
    });
    expect(basic.status).toBe(200);
  });

  it('with no token before the approval, and none after a denial', async () => {
    verifies('oauth.approval');
    const device = await Device.first();
    const client = await Client.register();
    const page = await client.openPage();
    expect((await client.exchange('conn_0:grant:secret')).status).toBe(400);
    expect((await device.post('/connectors/deny', { request_id: page.requestId })).status).toBe(200);
    const done = await poll(page);
    expect(done.state).toBe('denied');
    expect(new URL(done.redirect ?? '').searchParams.get('error')).toBe('access_denied');
    expect((await device.post('/connectors/approve', { request_id: page.requestId, code: page.code })).status).toBe(
      409,
    );
    expect((await connectorsSeenBy(device)).connectors).toEqual([]);
  });

  it('on a page that is loaded twice: the same code, and after the approval the browser goes on at once', async () => {
    const device = await Device.first();
    const client = await Client.register();
    const first = await client.openPage();
    const second = await client.openPage();
    expect([second.requestId, second.code]).toEqual([first.requestId, first.code]);
    await device.post('/connectors/approve', { code: first.code });
    const third = await ask(await client.authorizePath());
    expect(third.status).toBe(302);
    expect((await poll(first)).redirect).toBe(third.headers.get('location'));
  });

  it('to a scheme of its own: the page shows an address that says and hides nothing', async () => {
    verifies('oauth.consent');
    const told = 'com.app:/cb\u202ecod.\u200b sent to chatgpt.com';
    const page = await (await Client.register({ redirect_uris: [told] })).openPage();
    expect(page.html).toContain('<strong>com.app:/cb%E2%80%AEcod.%E2%80%8B%20sent%20to%20chatgpt.com</strong>');
    expect(page.html).not.toMatch(/[\u200b\u202e]/);
  });

  it('accepts the resource with a trailing slash, the bare origin, and none at all', async () => {
    verifies('oauth.code-flow');
    const client = await Client.register();
    for (const resource of ['https://edge.test/mcp/', 'https://edge.test', 'https://EDGE.test/', undefined]) {
      expect((await client.again().openPage({ resource })).status).toBe(200);
    }
  });
});

describe('a request that is not right', () => {
  it.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['a redirect to a foreign host', { redirect_uri: 'https://evil.host.dev/callback' }],
    ['a redirect to another path', { redirect_uri: `${REDIRECT}/more` }],
    ['a redirect that runs code', { redirect_uri: 'javascript:alert(1)' }],
    ['no redirect', { redirect_uri: undefined }],
  ])('from %s is an error page and never a redirect', async (_, changes) => {
    verifies('oauth.code-flow');
    const client = await Client.register();
    const answer = await ask(await client.authorizePath(changes));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('content-type')).toContain('text/html');
  });

  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://other.host.dev/mcp' }, 'invalid_target'],
  ])('%s goes back to the app with the error, its state and the issuer', async (_, changes, error) => {
    const client = await Client.register();
    const answer = await ask(await client.authorizePath(changes));
    expect(answer.status).toBe(302);
    const target = new URL(answer.headers.get('location') ?? '');
    expect(target.href.startsWith(REDIRECT)).toBe(true);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      error,
      state: client.state,
      iss: 'https://edge.test',
    });
  });

  it('without PKCE is refused for a confidential client too', async () => {
    const client = await Client.register({ token_endpoint_auth_method: 'client_secret_post' });
    const changes = { code_challenge: undefined, code_challenge_method: undefined };
    const answer = await ask(await client.authorizePath(changes));
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request');
  });

  it('that is too long is refused before anything is looked up', async () => {
    const client = await Client.register();
    const answer = await ask(await client.authorizePath({ state: 'x'.repeat(5000) }));
    expect(answer.status).toBe(414);
    expect((await readPage(answer)).requestId).toBe('');
  });
});

describe('a code', () => {
  it('is worth nothing with another verifier, redirect, or client, and stays good for its own client', async () => {
    verifies('oauth.code-flow');
    const device = await Device.first();
    const client = await Client.register();
    const other = await Client.register({ client_name: 'Other' });
    const code = await client.signIn(device);
    await invalidGrant(await client.exchange(code, { code_verifier: 'x'.repeat(43) }));
    await invalidGrant(await client.exchange(code, { redirect_uri: 'https://evil.host.dev/callback' }));
    await invalidGrant(await other.exchange(code, { code_verifier: client.verifier }));
    expect((await client.exchange(code)).status).toBe(200);
  });

  it('sent twice at once gives the same bytes', async () => {
    verifies('oauth.code-replay');
    const device = await Device.first();
    const client = await Client.register();
    const code = await client.signIn(device);
    const answers = await Promise.all([client.exchange(code), client.exchange(code), client.exchange(code)]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
  });

  it('used again after a minute ends everything that came from it', async () => {
    verifies('oauth.code-replay');
    const device = await Device.first();
    const client = await Client.register();
    const code = await client.signIn(device);
    const tokens = (await (await client.exchange(code)).json()) as { access_token: string; refresh_token: string };
    vi.setSystemTime(Date.now() + 61_000);
    await invalidGrant(await client.exchange(code));
    await invalidGrant(await client.refresh(tokens.refresh_token));
    expect((await callMcp(tokens.access_token)).status).toBe(401);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([{ ended_why: 'secret_reused' }]);
  });

  it.each([
    ['another verifier', { code_verifier: 'y'.repeat(43) }],
    ['another client', { client_id: 'somebody-else' }],
  ])('used again at once with %s ends the grant', async (_, changes) => {
    verifies('oauth.code-replay');
    const device = await Device.first();
    const client = await Client.register();
    const code = await client.signIn(device);
    const { access_token: token } = (await (await client.exchange(code)).json()) as { access_token: string };
    await invalidGrant(await client.exchange(code, changes));
    expect((await callMcp(token)).status).toBe(401);
  });
});

describe('the audience', () => {
  it('is the origin where the sign-in happened: its token is worth nothing at another one', async () => {
    verifies('oauth.code-flow');
    const device = await Device.first();
    const client = await Client.register({}, OLD_ORIGIN);
    const tokens = await client.connect(device);
    expect((await callMcp(tokens.access_token, OLD_ORIGIN)).status).toBe(200);
    const wrong = await callMcp(tokens.access_token);
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('cannot be changed at the token endpoint', async () => {
    verifies('oauth.code-flow');
    const device = await Device.first();
    const client = await Client.register();
    const code = await client.signIn(device);
    const answer = await client.exchange(code, { resource: 'https://other.host.dev/mcp' });
    expect(await answer.json()).toMatchObject({ error: 'invalid_target' });
  });
});
