/** What a stranger can reach, again and again: every door says "wait" after a while, and nobody else has to. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Auth } from '../../../edge/auth/index.ts';
import { AUTHORIZE_PER_MINUTE, POLLS_PER_MINUTE, REFUSALS_PER_MINUTE } from '../../../edge/http/index.ts';
import { verifies } from '../../verifies.ts';
import { reset, stayInMemory } from '../evictions.ts';
import { call } from '../mcp/client.ts';
import { bindings, freshEdge } from '../workstation/rig.ts';
import { ask, postForm, postJson, REDIRECT } from './harness.ts';

beforeEach(() => {
  stayInMemory();
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await reset();
});

let last = 0;
/** An address that no other test has used: the isolate remembers. */
const stranger = () => `203.0.113.${++last}`;

const INVENTED = `conn_${'0'.repeat(32)}:grant:token`;
const UNKNOWN_ARTIFACT = `/artifacts/${'ab'.repeat(16)}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Every place that looks at a credential, with one that is worth nothing. */
const DOORS: Record<string, (address: string) => Promise<Response>> = {
  'POST /mcp': (address) =>
    postJson('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { address, headers: bearer(INVENTED) }),
  'GET /mcp': (address) => ask('/mcp', { address, headers: bearer(INVENTED) }),
  'GET /status': (address) => ask('/status/dev_x', { address, headers: bearer(INVENTED) }),
  'GET /devices': (address) => ask('/devices', { address, headers: bearer('a.b.c') }),
  'GET /connectors': (address) => ask('/connectors', { address }),
  'GET /automations': (address) => ask('/automations', { address, headers: bearer('a.b.c') }),
  'GET /dispatches': (address) => ask('/dispatches', { address, headers: bearer('a.b.c') }),
  'GET /semantic/status': (address) => ask('/semantic/status', { address, headers: bearer('a.b.c') }),
  'GET /ws': (address) =>
    ask('/ws', {
      address,
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'herdr-link.v2, herdr-auth.a.b.c' },
    }),
  'an artifact by a guessed capability': (address) =>
    ask(UNKNOWN_ARTIFACT, { address, headers: bearer('0'.repeat(64)) }),
};

/** Those that count every request, with the limit that they have. */
const COUNTED: Record<string, [limit: number, send: (address: string) => Promise<Response>]> = {
  'POST /register': [10, (address) => postJson('/register', { redirect_uris: [REDIRECT] }, { address })],
  'GET /authorize': [AUTHORIZE_PER_MINUTE, (address) => ask('/authorize?client_id=x', { address })],
  'POST /authorize/poll': [
    POLLS_PER_MINUTE,
    (address) =>
      postJson('/authorize/poll', { request_id: `req_${'0'.repeat(16)}`, page_token: 'x'.repeat(43) }, { address }),
  ],
  'POST /token': [300, (address) => postForm('/token', { grant_type: 'refresh_token', client_id: 'x' }, { address })],
  'POST /revoke': [300, (address) => postForm('/revoke', { token: INVENTED, client_id: 'x' }, { address })],
  'POST /devices/pairings with a guessed operator secret': [
    10,
    (address) => postJson('/devices/pairings', {}, { address, headers: bearer('guess') }),
  ],
  'POST /devices/pairings/consume': [
    10,
    (address) =>
      postJson(
        '/devices/pairings/consume',
        {
          pairing_id: `pair_${'0'.repeat(32)}`,
          code: '000000',
          public_key: { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) },
        },
        { address },
      ),
  ],
};

describe('a stranger who is refused again and again', () => {
  it.each(Object.entries(DOORS))('at %s has to wait, and only that address', async (_, knock) => {
    verifies('edge.rate-limits');
    const address = stranger();
    const first = await knock(address);
    expect([401, 404]).toContain(first.status);
    const others = Array.from({ length: REFUSALS_PER_MINUTE - 1 }, () => DOORS['GET /connectors']?.(address));
    await Promise.all(others);
    const refused = await knock(address);
    expect(refused.status).toBe(429);
    const { retry_after_ms: waitMs } = (await refused.json()) as { retry_after_ms?: number };
    expect(waitMs ?? Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await knock(stranger())).status).toBe(first.status);
    vi.setSystemTime(Date.now() + 61_000);
    expect((await knock(address)).status).toBe(first.status);
  });

  it.each(Object.entries(COUNTED))('at %s has to wait, and only that address', async (_, [limit, send]) => {
    verifies('edge.rate-limits');
    const address = stranger();
    const answers = await Promise.all(Array.from({ length: limit }, () => send(address)));
    expect(answers.map(({ status }) => status)).not.toContain(429);
    expect((await send(address)).status).toBe(429);
    expect((await send(stranger())).status).not.toBe(429);
  });

  it('does not slow a caller whose token the isolate has judged good', async () => {
    verifies('edge.rate-limits');
    const { token } = await freshEdge();
    const address = stranger();
    const headers = { 'cf-connecting-ip': address };
    expect((await call('herdr_fs_read', { path: '/a' }, { token, headers })).status).toBe(200);
    await Promise.all(Array.from({ length: REFUSALS_PER_MINUTE }, () => DOORS['POST /mcp']?.(address)));
    expect((await DOORS['POST /mcp']?.(address))?.status).toBe(429);
  });
});

it('ten thousand registrations leave no more than the bound', { timeout: 120_000 }, async () => {
  verifies('oauth.registration-bounds');
  const auth = bindings.AUTH.getByName('main');
  const counted = await runInDurableObject(auth, async (object: Auth, { storage }) => {
    const body = JSON.stringify({ client_name: 'A', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' });
    const statuses: number[] = [];
    // The first wave is all at once; what comes after it finds the places taken.
    for (let wave = 0; wave < 20; wave++) {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, n) =>
          object.register({ origin: 'https://edge.test', address: `198.${wave}.${n >> 8}.${n & 255}`, body }),
        ),
      );
      statuses.push(...answers.map(({ status }) => status));
    }
    const [row] = storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM clients').toArray();
    return { refused: statuses.filter((status) => status === 429).length, kept: row?.n };
  });
  expect(counted).toEqual({ refused: 10_000 - 256, kept: 256 });
});
