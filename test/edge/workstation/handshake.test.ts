import { evictDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLOSE, LINK_SUBPROTOCOL } from '../../../contract/link/index.ts';
import { verifies } from '../../verifies.ts';
import { ask } from '../auth/harness.ts';
import { stayInMemory } from '../evictions.ts';
import { FakeLink, RUNTIME_EPOCHS, runtimeFacts, toolResult } from './fake-link.ts';
import { callInput, eventually, freshEdge, type Rig, told } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await freshEdge();
});

const status = () => rig.object().status();

describe('a link says hello', () => {
  it('and is welcomed with the clock and empty lists', async () => {
    verifies('link.connect');
    const link = await FakeLink.open(rig.device);
    expect((await status()).connection).toBe('offline');
    const welcome = await link.hello();
    expect(welcome).toMatchObject({ protocol: 2, awaited: [], settled: [], missing: [] });
    expect(Math.abs(welcome.now_ms - Date.now())).toBeLessThan(60_000);
    expect(await status()).toMatchObject({
      connection: 'online',
      boot_id: 'boot-1',
      link_version: '0.1.0',
      connections: 1,
      runtime: { contract_epoch: 5, herdr_version: '0.8.0' },
    });
  });

  it('without a credential, over another subprotocol, as a plain request or for another device it is refused', async () => {
    verifies('link.connect');
    const upgrade = { upgrade: 'websocket' };
    expect((await ask('/ws', { headers: { ...upgrade, 'sec-websocket-protocol': LINK_SUBPROTOCOL } })).status).toBe(
      401,
    );
    expect((await ask('/ws', { headers: { ...upgrade, 'sec-websocket-protocol': 'herdr-link.v1' } })).status).toBe(400);
    expect((await ask('/ws')).status).toBe(426);
    const other = await ask('/ws/dev_00000000000000000000000000', {
      headers: { ...upgrade, 'sec-websocket-protocol': `${LINK_SUBPROTOCOL}, herdr-auth.${await rig.device.token()}` },
    });
    expect(other.status).toBe(403);
  });

  it('with something else first, the socket is closed with the handshake code', async () => {
    verifies('link.close-codes');
    for (const first of [new Uint8Array([0, 0, 0, 2, 123, 125]), new Uint8Array(3)]) {
      const link = await FakeLink.open(rig.device);
      link.sendRaw(first);
      await link.until(() => link.closed !== undefined, 'the close');
      expect(link.closed?.code).toBe(CLOSE.handshake);
    }
    const eager = await FakeLink.open(rig.device);
    eager.send({ kind: 'accepted', dispatch_id: `d_${'0'.repeat(32)}` });
    await eager.until(() => eager.closed !== undefined, 'the close');
    expect(eager.closed?.code).toBe(CLOSE.handshake);
  });

  it.each([
    ['another protocol', { protocol: 3 }, 'protocol'],
    ['an unknown epoch', { runtime: { ...runtimeFacts(), contract_epoch: 3 } }, 'contract'],
    ['a hash of another epoch', { runtime: { ...runtimeFacts(), contract_hash: RUNTIME_EPOCHS[4].hash } }, 'contract'],
  ])('with %s it is refused and closed with 4403', async (_, options, reason) => {
    verifies('link.close-codes');
    const link = await FakeLink.open(rig.device);
    link.hello(options).catch(() => undefined);
    await link.until(() => link.closed !== undefined, 'the close');
    expect(link.of('refuse')).toMatchObject([{ reason }]);
    expect(link.closed?.code).toBe(CLOSE.contract);
    expect((await status()).connection).toBe('offline');
  });

  it.each([2, 4, 5] as const)('with the runtime contract of epoch %i it serves', async (epoch) => {
    await FakeLink.connect(rig.device, { runtime: runtimeFacts(RUNTIME_EPOCHS[epoch]) });
    expect((await status()).runtime?.contract_epoch).toBe(epoch);
  });

  it('again on the same socket when its runtime changed, and stays the same connection', async () => {
    verifies('link.outcome-table');
    const link = await FakeLink.connect(rig.device, { runtime: null });
    const hasty = await callInput(rig, { class: 'write', deadlineInMs: 50 });
    expect(told(await rig.object().call(hasty))).toMatchObject({
      code: 'runtime_unavailable',
      delivery: 'not_delivered',
      retryable: true,
    });
    const calling = rig.object().call(await callInput(rig, { class: 'write' }));
    await eventually(async () => ((await status()).active_calls === 1 ? true : undefined), 'a call that waits');
    expect(link.calls).toHaveLength(0);
    await link.hello();
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await calling)).toEqual({ ok: true });
    expect((await status()).connections).toBe(1);
  });
});

describe('two links of one device', () => {
  it('displace once: the newest serves, the older is closed with 4409 and its late events change nothing', async () => {
    verifies('link.close-codes');
    const older = await FakeLink.connect(rig.device, { bootId: 'boot-old' });
    const newer = await FakeLink.connect(rig.device, { bootId: 'boot-new' });
    await older.until(() => older.closed !== undefined, 'the close');
    expect(older.closed?.code).toBe(CLOSE.replaced);
    expect(await status()).toMatchObject({ connection: 'online', boot_id: 'boot-new' });
    const calling = rig.object().call(await callInput(rig));
    const { call } = await newer.nextCall();
    newer.answer(call.dispatch_id, toolResult({ ok: true, by: 'new' }));
    expect(told(await calling)).toMatchObject({ by: 'new' });
    expect(newer.closed).toBeUndefined();
  });

  it('are told apart by when they connected, not by whose hello is quicker', async () => {
    verifies('link.close-codes');
    // A socket that owes its hello has a timer, which keeps the object in memory.
    stayInMemory();
    const older = await FakeLink.open(rig.device);
    const openedAtMs = Date.now();
    await eventually(() => (Date.now() > openedAtMs ? true : undefined), 'the next millisecond');
    const newer = await FakeLink.open(rig.device);
    await older.hello({ bootId: 'boot-old' });
    expect(newer.closed).toBeUndefined();
    await newer.hello({ bootId: 'boot-new' });
    await older.until(() => older.closed !== undefined, 'the close');
    expect(older.closed?.code).toBe(CLOSE.replaced);
    expect(await status()).toMatchObject({ boot_id: 'boot-new' });
  });

  it('are not mixed up by a hello that comes late over the older socket', async () => {
    // A socket that owes its hello has a timer, which keeps the object in memory.
    stayInMemory();
    const older = await FakeLink.open(rig.device);
    const openedAtMs = Date.now();
    await eventually(() => (Date.now() > openedAtMs ? true : undefined), 'the next millisecond');
    const newer = await FakeLink.connect(rig.device, { bootId: 'boot-new' });
    older.hello({ bootId: 'boot-old' }).catch(() => undefined);
    await older.until(() => older.closed !== undefined, 'the close');
    expect(older.closed?.code).toBe(CLOSE.replaced);
    expect(newer.closed).toBeUndefined();
    expect(await status()).toMatchObject({ boot_id: 'boot-new' });
  });

  it('keep their order through hibernation', async () => {
    await FakeLink.connect(rig.device, { bootId: 'boot-old' });
    const newer = await FakeLink.connect(rig.device, { bootId: 'boot-new' });
    await evictDurableObject(rig.object());
    expect(await status()).toMatchObject({ connection: 'online', boot_id: 'boot-new', runtime: { contract_epoch: 5 } });
    const calling = rig.object().call(await callInput(rig));
    const { call } = await newer.nextCall();
    newer.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await calling)).toEqual({ ok: true });
  });
});

describe('the end of a link', () => {
  it('counts from the moment the close frame arrives, and the state says since when', async () => {
    const link = await FakeLink.connect(rig.device);
    await link.cut();
    const seen = await eventually(async () => {
      const now = await status();
      return now.connection === 'offline' ? now : undefined;
    }, 'offline');
    expect(seen.last_seen_at_ms).toBeGreaterThan(0);
    expect(seen.connected_at_ms).toBeUndefined();
  });

  it('by revocation of the device is 4401, for good, and calls are refused by name', async () => {
    verifies('link.close-codes', 'fleet.device-lifecycle');
    const link = await FakeLink.connect(rig.device);
    const waiting = rig.object().call(await callInput(rig, { class: 'write' }));
    await link.nextCall();
    await rig.object().revokeDevice();
    await rig.object().revokeDevice();
    await link.until(() => link.closed !== undefined, 'the close');
    expect(link.closed?.code).toBe(CLOSE.revoked);
    expect(link.of('refuse')).toMatchObject([{ reason: 'revoked' }]);
    expect(told(await waiting)).toMatchObject({ delivery: 'unknown', retryable: false });
    await evictDurableObject(rig.object());
    expect(told(await rig.object().call(await callInput(rig)))).toMatchObject({
      code: 'device_revoked',
      delivery: 'not_delivered',
    });
    expect((await status()).revoked).toBe(true);
  });

  it('is announced by a drain: nothing new is sent, what runs is still answered', async () => {
    const link = await FakeLink.connect(rig.device);
    const running = rig.object().call(await callInput(rig));
    const { call } = await link.nextCall();
    link.send({ kind: 'drain', reason: 'update' });
    await eventually(async () => ((await status()).draining ? true : undefined), 'draining');
    const hasty = await callInput(rig, { deadlineInMs: 50 });
    expect(told(await rig.object().call(hasty))).toMatchObject({
      code: 'workstation_draining',
      delivery: 'not_delivered',
      retryable: true,
    });
    const patient = rig.object().call(await callInput(rig));
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await running)).toEqual({ ok: true });
    expect(link.calls).toHaveLength(1);
    await link.cut();
    const next = await FakeLink.connect(rig.device, { bootId: 'boot-2' });
    next.answer((await next.nextCall()).call.dispatch_id, toolResult({ ok: true, by: 'the next link' }));
    expect(told(await patient)).toEqual({ ok: true, by: 'the next link' });
  });
});

describe('pings', () => {
  it('are answered while the object sleeps, and do not wake it', async () => {
    verifies('link.liveness');
    const link = await FakeLink.connect(rig.device);
    await evictDurableObject(rig.object());
    link.sendRaw('ping');
    await link.until(() => link.texts.includes('pong'), 'a pong');
    expect(link.of('problem')).toEqual([]);
  });
});
