import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Paired, Pairing } from '../../../contract/fleet/index.ts';
import { AUTH_SUBPROTOCOL_PREFIX, LINK_SUBPROTOCOL } from '../../../contract/link/index.ts';
import type { IdentityEnv } from '../../../edge/http/index.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { ask, Device, OLD_ORIGIN, ORIGIN, postJson } from '../auth/harness.ts';
import { reset, stayInMemory } from '../evictions.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await reset();
});

const bindings = env as unknown as IdentityEnv;
const operator = (secret = 'operator-secret-for-tests') => ({ headers: { authorization: `Bearer ${secret}` } });
const told = async (answer: Response): Promise<Record<string, unknown>> => ({
  ...((await answer.json()) as Record<string, unknown>),
  status: answer.status,
});
const wrong = (code: string, n = 1) => String((Number(code) + n) % 1_000_000).padStart(6, '0');

async function openPairing(device: Device, body: unknown = {}): Promise<Pairing> {
  return (await (await device.post('/devices/pairings', body)).json()) as Pairing;
}

describe('pairing', () => {
  it('of the first device takes the operator secret, once; every other one a paired device', async () => {
    verifies('fleet.pairing');
    expect(await told(await postJson('/devices/pairings', {}, operator('guess')))).toMatchObject({
      status: 401,
      code: 'operator_secret_rejected',
    });
    const opened = (await (await postJson('/devices/pairings', { name: 'studio' }, operator())).json()) as Pairing;
    expect(opened.address).toBe(`${ORIGIN}/pair#${opened.pairing_id}`);
    await evictAllDurableObjects();
    const first = await Device.unpaired();
    expect(await told(await first.join(opened))).toMatchObject({
      status: 200,
      name: 'studio',
      origin: ORIGIN,
      mcp_url: `${ORIGIN}/mcp`,
    });
    await evictAllDurableObjects();
    expect(await told(await postJson('/devices/pairings', {}, operator()))).toMatchObject({
      status: 403,
      code: 'operator_secret_spent',
    });
    const second = await Device.unpaired();
    expect((await second.join(await openPairing(first, { name: 'laptop' }))).status).toBe(200);
    expect(await told(await second.get('/devices'))).toMatchObject({
      devices: [{ name: 'studio' }, { name: 'laptop' }],
      self: second.deviceId,
    });
  });

  it('does not open again for a spent operator secret when its device is gone', async () => {
    verifies('fleet.pairing');
    const device = await Device.first();
    expect((await device.post('/devices/revoke-self', {})).status).toBe(200);
    expect(await told(await postJson('/devices/pairings', {}, operator()))).toMatchObject({
      code: 'operator_secret_spent',
    });
  });

  it('answers a lost answer’s repetition with the same device, and another key not at all', async () => {
    verifies('fleet.pairing');
    const first = await Device.first();
    const pairing = await openPairing(first);
    const device = await Device.unpaired();
    const once = (await (await device.join(pairing)).json()) as Paired;
    await evictAllDurableObjects();
    expect(await (await device.join(pairing)).json()).toEqual(once);
    const thief = await Device.unpaired();
    expect(await told(await thief.join(pairing))).toMatchObject({ status: 401, code: 'pairing_rejected' });
  });

  it('ends with five wrong codes, with ten minutes, and says the same every time', async () => {
    verifies('fleet.pairing');
    const first = await Device.first();
    const pairing = await openPairing(first);
    const device = await Device.unpaired();
    const answers = [];
    for (let n = 1; n <= 5; n++)
      answers.push(await (await device.join({ ...pairing, code: wrong(pairing.code, n) })).text());
    answers.push(await (await device.join(pairing)).text());
    answers.push(await (await device.join({ ...pairing, pairing_id: `pair_${'0'.repeat(32)}` })).text());
    vi.setSystemTime(Date.now() + 61_000);
    const second = await openPairing(first);
    vi.setSystemTime(Date.now() + 10 * 60_000 + 1);
    answers.push(await (await device.join(second)).text());
    const stripped = answers.map((text) => text.replace(/"now_ms":\d+/, ''));
    expect(new Set(stripped).size).toBe(1);
    expect(stripped[0]).toContain('pairing_rejected');
    expect(await told(await first.get('/devices'))).toMatchObject({ devices: [{ name: 'studio' }] });
  });

  it('guesses from one address are slowed down', async () => {
    stayInMemory();
    const statuses = [];
    for (let n = 0; n < 12; n++)
      statuses.push((await postJson('/devices/pairings', {}, operator(`guess-${n}`))).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  it('keeps four open at most, and stores neither code nor id', async () => {
    const first = await Device.first();
    const pairings: Pairing[] = [];
    for (let n = 0; n < 5; n++) {
      vi.setSystemTime(Date.now() + 1);
      pairings.push(await openPairing(first));
    }
    const dump = await runInDurableObject(bindings.FLEET.getByName('main'), (_, state) =>
      JSON.stringify(state.storage.sql.exec('SELECT * FROM pairings').toArray()),
    );
    for (const { pairing_id, code } of pairings) {
      expect(dump).not.toContain(pairing_id);
      expect(dump).not.toContain(`"${code}"`);
    }
    const [oldest, , , , newest] = pairings;
    if (!oldest || !newest) throw new Error('five pairings were opened');
    expect((await (await Device.unpaired()).join(oldest)).status).toBe(401);
    expect((await (await Device.unpaired()).join(newest)).status).toBe(200);
  });

  it.each([
    ['broken JSON', '{', 400],
    ['an unknown member', { surprise: 1 }, 400],
    ['a name of two lines', { name: 'a\nb' }, 400],
    ['9 KiB', { name: 'x'.repeat(9000) }, 413],
  ])('refuses %s before anything is spent', async (_, body, status) => {
    const first = await Device.first();
    expect((await first.post('/devices/pairings', body)).status).toBe(status);
  });

  it('address opened in a browser is a page that explains, not framable', async () => {
    const page = await ask('/pair', { headers: { 'accept-language': 'ja' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(await page.text()).toContain('herdr-mcp worker connect');
  });
});

describe('a device’s token', () => {
  const withToken = (token: string, origin = ORIGIN) =>
    ask('/devices', { origin, headers: { authorization: `Bearer ${token}` } });

  it('is accepted once, for an origin of this edge, as bearer or beside the subprotocol', async () => {
    verifies('fleet.device-auth');
    const device = await Device.first();
    const token = await device.token();
    expect((await withToken(token)).status).toBe(200);
    await evictAllDurableObjects();
    expect(await told(await withToken(token))).toMatchObject({ status: 401, code: 'device_token_replayed' });
    expect((await withToken(await device.token({ aud: OLD_ORIGIN }), OLD_ORIGIN)).status).toBe(200);
    const offer = {
      headers: { 'sec-websocket-protocol': `${LINK_SUBPROTOCOL}, ${AUTH_SUBPROTOCOL_PREFIX}${await device.token()}` },
    };
    expect((await ask('/devices', offer)).status).toBe(200);
  });

  it('of two at once counts one', async () => {
    const device = await Device.first();
    const token = await device.token();
    const statuses = (await Promise.all([withToken(token), withToken(token), withToken(token)])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });

  it('from a wrong clock is told the right one', async () => {
    verifies('fleet.device-auth');
    const device = await Device.first();
    for (const skewMs of [-300_000, 300_000]) {
      const before = Date.now();
      const answer = await withToken(await device.token({}, before + skewMs));
      expect(Math.abs(Date.parse(answer.headers.get('date') ?? '') - before)).toBeLessThan(60_000);
      const body = await told(answer);
      expect(body).toMatchObject({ status: 401, code: 'device_clock_skew', retryable: true });
      const corrected = Date.now() + skewMs + (Number(body['now_ms']) - (before + skewMs));
      expect((await withToken(await device.token({}, corrected))).status).toBe(200);
    }
  });

  it.each<[string, (device: Device, other: Device) => Promise<string>]>([
    ['another device’s key', async (device, other) => other.token({ sub: device.deviceId })],
    ['another edge as audience', (device) => device.token({ aud: 'https://other.host.dev' })],
    ['a life of an hour', (device) => device.token({ exp: Math.floor(Date.now() / 1000) + 3600 })],
    ['an unknown device', (device) => device.token({ sub: `dev_${'0'.repeat(26)}` })],
    ['a short jti', (device) => device.token({ jti: 'x' })],
    ['a changed payload', async (device) => (await device.token()).replace(/\.[^.]+\./, `.${btoa('{}')}.`)],
    ['no signature', async (device) => `${(await device.token()).split('.').slice(0, 2).join('.')}.`],
    [
      'the algorithm none',
      async (device) => {
        const [, payload] = (await device.token()).split('.');
        return `${btoa(JSON.stringify({ alg: 'none', typ: 'JWT' })).replace(/=+$/, '')}.${payload}.AA`;
      },
    ],
    ['two kilobytes', async () => `a.${'b'.repeat(2048)}.c`],
  ])('with %s is refused', async (_, make) => {
    verifies('fleet.device-auth');
    const device = await Device.first();
    const answer = await withToken(await make(device, await Device.unpaired()));
    expect(await told(answer)).toMatchObject({ status: 401, code: 'device_auth_failed', ok: false });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a device', () => {
  async function two() {
    const first = await Device.first();
    const second = await Device.unpaired();
    await second.join(await openPairing(first, { name: 'laptop' }));
    return { first, second };
  }

  it('is renamed, and a name means one device', async () => {
    verifies('fleet.device-lifecycle');
    const { first, second } = await two();
    const rename = (name: string) => first.post('/devices/rename', { device_id: second.deviceId, name });
    expect(await told(await rename('  travel  '))).toMatchObject({ status: 200, device: { name: 'travel' } });
    expect(await told(await rename('studio'))).toMatchObject({ status: 409, code: 'device_name_taken' });
    expect(
      await told(await first.post('/devices/rename', { device_id: `dev_${'0'.repeat(26)}`, name: 'x' })),
    ).toMatchObject({
      status: 404,
      code: 'device_not_found',
    });
  });

  it('is paused without losing its rights, and suspended without losing its place', async () => {
    verifies('fleet.device-lifecycle');
    const { first, second } = await two();
    const target = { device_id: second.deviceId };
    expect(await told(await first.post('/devices/pause', target))).toMatchObject({ device: { paused: true } });
    expect((await second.get('/devices')).status).toBe(200);
    expect(await told(await first.post('/devices/resume', target))).toMatchObject({ device: { paused: false } });
    expect((await first.post('/devices/suspend', target)).status).toBe(200);
    expect(await told(await second.get('/devices'))).toMatchObject({ status: 403, code: 'device_suspended' });
    expect((await first.post('/devices/restore', target)).status).toBe(200);
    expect((await second.get('/devices')).status).toBe(200);
  });

  it('that is revoked stays revoked, is told so, and vanishes from the list', async () => {
    verifies('fleet.device-lifecycle');
    const { first, second } = await two();
    const target = { device_id: second.deviceId };
    expect((await first.post('/devices/revoke', target)).status).toBe(200);
    await evictAllDurableObjects();
    expect(await told(await second.get('/devices'))).toMatchObject({ status: 401, code: 'device_revoked' });
    expect(await told(await first.post('/devices/restore', target))).toMatchObject({
      status: 401,
      code: 'device_revoked',
    });
    expect((await first.post('/devices/revoke', target)).status).toBe(200);
    expect(await told(await first.get('/devices'))).toMatchObject({ devices: [{ device_id: first.deviceId }] });
  });

  it('whose object cannot confirm is closed at once and reported as not finished', async () => {
    const { first, second } = await two();
    const target = { device_id: second.deviceId };
    const broken = vi.spyOn(Workstation.prototype, 'revokeDevice').mockImplementation(() => {
      throw new Error('the object is being moved');
    });
    const answer = await told(await first.post('/devices/revoke', target));
    expect(answer).toMatchObject({ status: 503, code: 'device_revoke_incomplete', retryable: true });
    expect((await second.get('/devices')).status).toBe(401);
    broken.mockRestore();
    expect((await first.post('/devices/revoke', target)).status).toBe(200);
  });

  it('changes its key, and tokens of the old one stop', async () => {
    verifies('fleet.device-lifecycle');
    const device = await Device.first();
    const renewed = await Device.unpaired();
    expect((await device.post('/devices/rotate-key', { public_key: renewed.publicKey })).status).toBe(200);
    renewed.deviceId = device.deviceId;
    expect((await device.get('/devices')).status).toBe(401);
    expect((await renewed.get('/devices')).status).toBe(200);
  });

  it('is asked for by routes that exist', async () => {
    const device = await Device.first();
    expect(await told(await device.get('/devices/nothing'))).toMatchObject({ status: 404, code: 'not_found' });
    expect((await ask('/devices/rename')).status).toBe(404);
  });
});
