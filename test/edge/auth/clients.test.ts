import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { IdentityEnv } from '../../../edge/http/index.ts';
import { verifies } from '../../verifies.ts';
import { reset, stayInMemory } from '../evictions.ts';
import { DOCUMENT, documentOf, host, signer } from './client-host.ts';
import {
  ask,
  Client,
  callMcp,
  connectorsSeenBy,
  Device,
  ORIGIN,
  postForm,
  postJson,
  REDIRECT,
  type SignInPage,
} from './harness.ts';

const bindings = env as unknown as IdentityEnv;

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

const countClients = () =>
  runInDurableObject(
    bindings.AUTH.getByName('main'),
    (_, state) => state.storage.sql.exec('SELECT count(*) AS n FROM clients').one()['n'],
  );

describe('registration', () => {
  const register = (body: unknown, address = '203.0.113.1') => postJson('/register', body, { address });
  const minimal = { client_name: 'A', redirect_uris: [REDIRECT] };

  it('answers at every alias with a client, in the words of RFC 7591', async () => {
    for (const path of [
      '/register',
      '/register/',
      '/oauth/register',
      '/mcp/register',
      '/mcp/register/',
      '/mcp/oauth/register',
    ]) {
      const answer = await postJson(path, minimal);
      expect(answer.status).toBe(201);
      expect(await answer.json()).toMatchObject({ client_id: expect.any(String), redirect_uris: [REDIRECT] });
    }
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_client_metadata'],
    ['an array', '[]', 400, 'invalid_client_metadata'],
    ['nothing', '', 400, 'invalid_client_metadata'],
    ['no redirect', { client_name: 'A' }, 400, 'invalid_redirect_uri'],
    [
      'nine redirects',
      { redirect_uris: Array.from({ length: 9 }, (_, n) => `${REDIRECT}/${n}`) },
      400,
      'invalid_redirect_uri',
    ],
    ['a redirect that runs code', { redirect_uris: ['javascript:alert(1)'] }, 400, 'invalid_client_metadata'],
    ['a redirect over plain http', { redirect_uris: ['http://app.host.dev/cb'] }, 400, 'invalid_client_metadata'],
    ['client credentials', { ...minimal, grant_types: ['client_credentials'] }, 400, 'invalid_client_metadata'],
    ['900 kB', { ...minimal, client_uri: `https://a.dev/${'x'.repeat(900_000)}` }, 413, 'invalid_client_metadata'],
    ['17 KiB', { ...minimal, client_uri: `https://a.dev/${'x'.repeat(17_000)}` }, 413, 'invalid_client_metadata'],
  ])('of %s is refused', async (_, body, status, error) => {
    verifies('oauth.registration-bounds');
    const answer = await register(body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error });
    expect(await countClients()).toBe(0);
  });

  it('is ten a minute for one address, an IPv6 customer counting as one', async () => {
    stayInMemory();
    verifies('oauth.registration-bounds');
    for (let n = 0; n < 10; n++) expect((await register(minimal, `2001:db8:1:2::${n}`)).status).toBe(201);
    const refused = await register(minimal, '2001:db8:1:2:ffff::1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await register(minimal, '2001:db8:1:3::1')).status).toBe(201);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await register(minimal, '2001:db8:1:2::1')).status).toBe(201);
  });

  it('keeps at most 256 clients without a grant, makes room for a newcomer, and never drops one that signs in', async () => {
    stayInMemory();
    verifies('oauth.registration-bounds');
    const device = await Device.first();
    const approved = await Client.register({ client_name: 'Approved' });
    await approved.connect(device);
    for (let n = 0; n < 256; n++) await register(minimal, `198.51.${Math.floor(n / 8)}.1`);
    expect((await register(minimal, '192.0.2.1')).status).toBe(429);
    expect(await countClients()).toBe(257);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    expect((await register(minimal, '192.0.2.2')).status).toBe(201);
    expect(await countClients()).toBe(257);
    expect((await approved.again().openPage()).status).toBe(200);
  });

  it('expires after an hour without a grant, and not while one lives', async () => {
    verifies('oauth.registration-bounds');
    const device = await Device.first();
    const unused = await Client.register({ client_name: 'Unused' });
    const used = await Client.register({ client_name: 'Used' });
    const tokens = await used.connect(device);
    vi.setSystemTime(Date.now() + 61 * 60_000);
    expect((await unused.openPage()).status).toBe(400);
    expect((await used.again().openPage()).status).toBe(200);
    expect((await used.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe('a client that is the address of its own document', () => {
  it('signs in without registering, and its domain is called verified', async () => {
    verifies('oauth.cimd');
    const asked = host(() => Response.json(documentOf()));
    const device = await Device.first();
    const client = new Client(DOCUMENT);
    const page = await client.openPage();
    expect(page.html).toContain('chat.host.dev');
    expect(page.html).not.toContain('Unverified');
    const tokens = await client.connect(device);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    expect((await connectorsSeenBy(device)).connectors).toMatchObject([
      { label: 'Chat Host', app: { client_id: DOCUMENT, verified_domain: 'chat.host.dev' } },
    ]);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(asked.mock.calls[0]?.[1]).toMatchObject({ redirect: 'manual' });
  });

  it.each([
    ['a literal address', 'https://192.0.2.1/client.json'],
    ['a decimal address', 'https://3232235777/client.json'],
    ['an IPv6 address', 'https://[2001:db8::1]/client.json'],
    ['loopback', 'https://localhost/client.json'],
    ['a single label', 'https://router/client.json'],
    ['a local suffix', 'https://nas.local/client.json'],
    ['an internal suffix', 'https://metadata.google.internal/client.json'],
    ['a trailing dot', 'https://localhost./client.json'],
    ['plain http', 'http://chat.host.dev/client.json'],
    ['a port', 'https://chat.host.dev:8443/client.json'],
    ['credentials', 'https://user:pass@chat.host.dev/client.json'],
    ['a fragment', 'https://chat.host.dev/client.json#x'],
    ['dot segments', 'https://chat.host.dev/a/../client.json'],
    ['no path', 'https://chat.host.dev/'],
  ])('is not asked at %s', async (_, address) => {
    verifies('oauth.cimd');
    const asked = host(() => Response.json(documentOf({ client_id: address })));
    const page = await new Client(address).openPage();
    expect(page.status).toBe(400);
    expect(asked).not.toHaveBeenCalled();
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['another client_id', () => Response.json(documentOf({ client_id: 'https://chat.host.dev/other.json' }))],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://192.0.2.1/' } })],
    ['an error', () => new Response('no', { status: 404 })],
    ['more than 5 KiB', () => Response.json(documentOf({ client_uri: 'x'.repeat(6000) }))],
    ['no JSON', () => new Response('<html>')],
    ['a secret', () => Response.json(documentOf({ client_secret: 'x' }))],
    ['no name', () => Response.json(documentOf({ client_name: ' ' }))],
    ['no redirects', () => Response.json(documentOf({ redirect_uris: [] }))],
    ['a redirect that runs code', () => Response.json(documentOf({ redirect_uris: ['javascript:alert(1)'] }))],
    [
      'only methods that are not served',
      () => Response.json(documentOf({ token_endpoint_auth_method: 'client_secret_post' })),
    ],
    ['a broken connection', () => Promise.reject(new Error('reset'))],
  ])('that answers with %s is an error page', async (_, answer) => {
    verifies('oauth.cimd');
    host(answer);
    const response = await ask(await new Client(DOCUMENT).authorizePath());
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it('may redirect only to what its document lists', async () => {
    host(() => Response.json(documentOf()));
    const client = new Client(DOCUMENT, { redirectUri: 'https://evil.host.dev/cb' });
    expect((await client.openPage()).status).toBe(400);
  });

  it('that takes ten seconds makes nobody else wait, and everybody who waits for it asks once', async () => {
    verifies('oauth.cimd');
    const device = await Device.first();
    let released = false;
    const asked = host(async () => {
      // The answer is made where it is waited for: workerd ties a promise to its object.
      while (!released) await scheduler.wait(2);
      return Response.json(documentOf());
    });
    const slow = [new Client(DOCUMENT).openPage(), new Client(DOCUMENT).openPage()];
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    const quick = await Client.register();
    const tokens = await quick.connect(device);
    expect((await quick.refresh(tokens.refresh_token)).status).toBe(200);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    released = true;
    const pages: SignInPage[] = await Promise.all(slow);
    expect(pages.map((page) => page.status)).toEqual([200, 200]);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('keeps refreshing while its host is down, and stops when the host disowns it', async () => {
    const device = await Device.first();
    const asked = host(() => Response.json(documentOf()));
    const client = new Client(DOCUMENT);
    const tokens = await client.connect(device);
    vi.setSystemTime(Date.now() + 2 * 24 * 3_600_000);
    asked.mockImplementation(async () => new Response('down', { status: 503 }));
    const next = await client.refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    const { refresh_token: newest } = (await next.json()) as { refresh_token: string };
    asked.mockImplementation(async () => new Response('gone', { status: 404 }));
    const refused = await client.refresh(newest);
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  it('asks a stranger’s host for one address ten times a minute at most', async () => {
    stayInMemory();
    const asked = host(() => new Response('no', { status: 404 }));
    for (let n = 0; n < 15; n++)
      await new Client(`https://h${n}.host.dev/c.json`).openPage({}, { address: '203.0.113.5' });
    expect(asked).toHaveBeenCalledTimes(10);
  });
});

describe('a client that signs its token requests', () => {
  it('is proven once for each assertion, and nothing else proves it', async () => {
    verifies('oauth.cimd');
    const device = await Device.first();
    const { jwks, sign } = await signer();
    const stranger = await signer();
    host(() => Response.json(documentOf({ token_endpoint_auth_method: 'private_key_jwt', jwks })));
    const client = new Client(DOCUMENT);
    const code = await client.signIn(device);
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: client.verifier };
    const with_ = (assertion: string) => ({
      ...fields,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
    const refused = [
      { ...fields, client_id: DOCUMENT },
      with_(await stranger.sign()),
      with_(await sign({ aud: 'https://other.host.dev' })),
      with_(await sign({ exp: Math.floor(Date.now() / 1000) - 120 })),
      with_(await sign({ exp: Math.floor(Date.now() / 1000) + 90_000 })),
      with_(await sign({ sub: 'https://chat.host.dev/other.json' })),
      { ...with_(await sign()), client_assertion_type: 'other' },
    ];
    for (const form of refused) {
      const answer = await postForm('/token', form);
      expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    }
    const assertion = await sign({ aud: [`${ORIGIN}/token`] });
    const answer = await postForm('/token', with_(assertion));
    expect(answer.status).toBe(200);
    const again = await postForm('/token', with_(assertion));
    expect([again.status, await again.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    expect(await (await postForm('/token', with_(await sign()))).text()).toBe(await answer.text());
  });
});
