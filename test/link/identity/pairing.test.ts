import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Paired, Pairing } from '../../../contract/fleet/index.ts';
import { parseDeviceToken } from '../../../contract/fleet/index.ts';
import {
  openIdentity,
  pair,
  pairFirst,
  parsePairingAddress,
  readDevice,
  requestAsDevice,
} from '../../../link/index.ts';
import { LocalError } from '../../../local/error/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { verifies } from '../../verifies.ts';
import { DEVICE_ID, FakeEdge } from '../support/fake-edge.ts';

const PAIRING_ID = `pair_${'5'.repeat(32)}`;
let edge: FakeEdge;
let stateDir: string;
beforeEach(async () => {
  edge = await new FakeEdge().listen();
  stateDir = mkdtempSync(join(tmpdir(), 'hm-pair-'));
});
afterEach(async () => {
  await edge.close();
  rmSync(stateDir, { recursive: true, force: true });
});

const paired = (name = 'Desk'): Paired => ({
  ok: true,
  device_id: DEVICE_ID,
  name,
  origin: edge.origin,
  mcp_url: `${edge.origin}/mcp`,
});
const refusal = (status: number, code: string) => ({
  status,
  body: { ok: false, code, message: 'It was refused.', next: 'Do something else.', retryable: false },
});
const address = (): string => `${edge.origin}/pair#${PAIRING_ID}`;

async function failure(promise: Promise<unknown>): Promise<LocalError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof LocalError)) throw new Error(`expected a LocalError, got ${String(error)}`);
  return error;
}

describe('pairing by address and code', () => {
  it('sends the public key only, keeps the private one closed to others, and records the device', async () => {
    verifies('fleet.pairing');
    edge.routes.set('POST /devices/pairings/consume', () => ({ status: 201, body: paired() }));
    const device = await pair(address(), '123 456', { stateDir, name: 'Desk' });
    expect(device).toMatchObject({ device_id: DEVICE_ID, name: 'Desk', edge_origin: edge.origin });
    const [request] = edge.requests;
    expect(request?.body).toEqual({
      pairing_id: PAIRING_ID,
      code: '123456',
      name: 'Desk',
      public_key: { kty: 'OKP', crv: 'Ed25519', x: expect.any(String) },
    });
    expect(request?.path).not.toContain(PAIRING_ID);
    const identity = await openIdentity(stateDir);
    expect(identity.device).toEqual(device);
    for (const file of [statePaths(stateDir).device, join(statePaths(stateDir).keys, 'device-key')]) {
      expect(statSync(file).mode & 0o077).toBe(0);
    }
  });

  it('after a lost answer sends the same key, so that no second device appears', async () => {
    verifies('fleet.pairing');
    const keys: unknown[] = [];
    edge.routes.set('POST /devices/pairings/consume', (body) => {
      keys.push((body as { public_key: unknown }).public_key);
      if (keys.length < 4) edge.cut();
      return { status: 200, body: paired() };
    });
    expect((await failure(pair(address(), '123456', { stateDir }))).code).toBe('edge_unreachable');
    expect(await readDevice(stateDir)).toBeUndefined();
    await pair(address(), '123456', { stateDir });
    expect(keys).toHaveLength(4);
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1);
  });

  it('that is refused records nothing and passes on what to do', async () => {
    edge.routes.set('POST /devices/pairings/consume', () => refusal(401, 'pairing_rejected'));
    const error = await failure(pair(address(), '123456', { stateDir }));
    expect(error).toMatchObject({ code: 'pairing_rejected', next: 'Do something else.' });
    expect(error.message).toContain('not paired');
    expect(await readDevice(stateDir)).toBeUndefined();
  });

  it('answered by something that is no edge says so', async () => {
    edge.routes.set('POST /devices/pairings/consume', () => ({ status: 200, body: { hello: 'world' } }));
    expect((await failure(pair(address(), '123456', { stateDir }))).code).toBe('edge_answer_unreadable');
  });

  it.each([
    ['https://edge.example/pair', '123456', 'pairing_address_invalid'],
    ['http://edge.example/pair#pair_55555555555555555555555555555555', '123456', 'pairing_address_invalid'],
    ['not an address', '123456', 'pairing_address_invalid'],
    ['https://edge.example/pair#pair_55555555555555555555555555555555', '12345', 'pairing_code_invalid'],
  ])('%s with %s sends nothing', async (text, code, expected) => {
    expect((await failure(pair(text, code, { stateDir }))).code).toBe(expected);
    expect(edge.requests).toEqual([]);
  });

  it('does not replace a device unless it is asked to', async () => {
    edge.routes.set('POST /devices/pairings/consume', () => ({ status: 201, body: paired() }));
    await pair(address(), '123456', { stateDir });
    let asked = 0;
    const code = async () => {
      asked += 1;
      return '123456';
    };
    expect((await failure(pair(address(), code, { stateDir }))).code).toBe('already_paired');
    expect((await failure(pair('nonsense', code, { stateDir, replace: true }))).code).toBe('pairing_address_invalid');
    expect(asked).toBe(0);
    const before = await openIdentity(stateDir);
    await pair(address(), '123456', { stateDir, replace: true });
    const after = await openIdentity(stateDir);
    expect(parseDeviceToken(after.signer.token())?.signature).not.toBe(
      parseDeviceToken(before.signer.token())?.signature,
    );
    expect(edge.requests).toHaveLength(2);
  });

  it('takes addresses apart', () => {
    expect(parsePairingAddress(` https://edge.example/pair#${PAIRING_ID}\n`)).toEqual({
      origin: 'https://edge.example',
      pairingId: PAIRING_ID,
    });
    expect(parsePairingAddress(`https://user:pw@edge.example/pair#${PAIRING_ID}`)).toBeUndefined();
  });
});

describe('the first pairing', () => {
  const opened = (): Pairing => ({
    ok: true,
    pairing_id: PAIRING_ID,
    code: '654321',
    address: address(),
    expires_at_ms: Date.now() + 600_000,
  });

  it('uses the operator secret as bearer, once, and then the pairing that it got', async () => {
    verifies('fleet.pairing');
    edge.routes.set('POST /devices/pairings', (_, authorization) =>
      authorization === 'Bearer operator' ? { status: 201, body: opened() } : refusal(401, 'operator_secret_rejected'),
    );
    edge.routes.set('POST /devices/pairings/consume', () => ({ status: 201, body: paired('Server') }));
    const device = await pairFirst(`${edge.origin}/`, 'operator', { stateDir, name: 'Server' });
    expect(device.name).toBe('Server');
    expect(edge.requests[1]).toMatchObject({
      authorization: undefined,
      body: { pairing_id: PAIRING_ID, code: '654321' },
    });
  });

  it('with a wrong secret says what to do', async () => {
    edge.routes.set('POST /devices/pairings', () => refusal(401, 'operator_secret_rejected'));
    const error = await failure(pairFirst(edge.origin, 'wrong', { stateDir }));
    expect(error.code).toBe('operator_secret_rejected');
    expect(error.sentence).not.toContain('wrong');
  });

  it('goes to https only, except on this machine', async () => {
    expect((await failure(pairFirst('http://edge.example', 'x', { stateDir }))).code).toBe('edge_origin_invalid');
  });
});

describe('calls as this device', () => {
  it('carry a new token each, and correct the clock once when the edge says so', async () => {
    verifies('fleet.device-auth');
    edge.routes.set('POST /devices/pairings/consume', () => ({ status: 201, body: paired() }));
    await pair(address(), '123456', { stateDir });
    const { device, signer } = await openIdentity(stateDir);
    const edgeNowMs = Date.now() - 7_200_000;
    const seen: { iat: number; jti: string }[] = [];
    edge.routes.set('GET /devices', (_, authorization) => {
      const claims = parseDeviceToken(authorization?.slice('Bearer '.length) ?? '')?.claims;
      if (claims === undefined) return refusal(401, 'device_auth_failed');
      seen.push(claims);
      expect(claims).toMatchObject({ sub: DEVICE_ID, aud: edge.origin, exp: claims.iat + 60 });
      if (Math.abs(claims.iat * 1000 - edgeNowMs) < 5_000) return { status: 200, body: { ok: true } };
      return { status: 401, body: { ...refusal(401, 'device_clock_skew').body, now_ms: edgeNowMs } };
    });
    const ask = () => requestAsDevice(device.edge_origin, signer, { method: 'GET', path: '/devices' }, {});
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ jti }) => jti)).size).toBe(3);
  });
});
