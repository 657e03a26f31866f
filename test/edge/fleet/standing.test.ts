import { evictAllDurableObjects, evictDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Pairing } from '../../../contract/fleet/index.ts';
import { forgetDevices } from '../../../edge/mcp/index.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { ask, Client, callMcp, Device, OLD_ORIGIN, ORIGIN } from '../auth/harness.ts';
import { reset, stayInMemory } from '../evictions.ts';
import { bodyOf, call } from '../mcp/client.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { bindings, callInput, eventually, freshEdge, type Rig, told } from '../workstation/rig.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** An edge with a second device that administers the first one. */
async function withAdmin(): Promise<Rig & { admin: Device; set: (what: string) => Promise<Response> }> {
  const rig = await freshEdge({});
  const admin = await Device.unpaired();
  await admin.join((await (await rig.device.post('/devices/pairings', { name: 'desk' })).json()) as Pairing);
  const target = { device_id: rig.device.deviceId };
  return { ...rig, admin, set: (what) => admin.post(`/devices/${what}`, target) };
}

describe('a device that is paused', () => {
  it('refuses the very next call, keeps its socket, finishes what runs, and serves again when resumed', async () => {
    verifies('fleet.device-lifecycle');
    const { device, object, set, token } = await withAdmin();
    const link = await FakeLink.connect(device);
    const running = object().call(await callInput({ device, token, object }, { class: 'write' }));
    const { call: first } = await link.nextCall();
    expect((await set('pause')).status).toBe(200);
    // Routing still has the old list in its isolate; the device's own object is what refuses.
    const late = await object().call(await callInput({ device, token, object }));
    expect(told(late)).toMatchObject({ code: 'device_paused', delivery: 'not_delivered', retryable: false });
    expect(link.closed).toBeUndefined();
    link.answer(first.dispatch_id, toolResult({ ok: true, text: 'done' }));
    expect(told(await running)).toMatchObject({ ok: true, text: 'done' });
    expect((await set('resume')).status).toBe(200);
    const after = object().call(await callInput({ device, token, object }));
    const { call: second } = await link.nextCall(2);
    link.answer(second.dispatch_id, toolResult({ ok: true }));
    expect(told(await after)).toMatchObject({ ok: true });
    expect(link.calls).toHaveLength(2);
    await link.cut();
  });

  it('stays so when its object forgets everything that is not written down', async () => {
    const { device, object, set, token } = await withAdmin();
    await set('pause');
    await evictDurableObject(object());
    expect(told(await object().call(await callInput({ device, token, object })))).toMatchObject({
      code: 'device_paused',
    });
  });

  it('lets a Worker come back for a call that was taken in before', async () => {
    const { device, object, set, token } = await withAdmin();
    const link = await FakeLink.connect(device);
    const input = await callInput({ device, token, object }, { class: 'write' });
    const running = object().call(input);
    await link.nextCall();
    await set('pause');
    const stub = object();
    const joined = stub.call(input);
    // Calls on one stub arrive in order: when this is answered, the one before it has joined.
    await stub.status();
    link.answer(input.call.dispatch_id, toolResult({ ok: true, text: 'one' }));
    expect(told(await running)).toMatchObject({ text: 'one' });
    expect(told(await joined)).toMatchObject({ text: 'one' });
    await link.cut();
  });

  it('refuses what waits for its link', async () => {
    const { device, object, set, token } = await withAdmin();
    const link = await FakeLink.connect(device);
    await link.cut();
    // An object with a waiting call is not evicted: the plugin would wait for the end of the call.
    stayInMemory();
    const waiting = object().call(await callInput({ device, token, object }));
    await set('pause');
    expect(told(await waiting)).toMatchObject({ code: 'device_paused', delivery: 'not_delivered' });
  });
});

describe('a device that is suspended', () => {
  it('loses its socket at once, its running write becomes unknown, and nothing new is sent', async () => {
    verifies('fleet.device-lifecycle');
    const { device, object, set, token } = await withAdmin();
    const link = await FakeLink.connect(device);
    const write = await callInput({ device, token, object }, { class: 'write' });
    const running = object().call(write);
    await link.nextCall();
    expect((await set('suspend')).status).toBe(200);
    expect(told(await running)).toMatchObject({ code: 'interrupted', delivery: 'unknown', retryable: false });
    await link.until(() => link.closed !== undefined, 'the close');
    expect(link.of('refuse')).toMatchObject([{ reason: 'suspended' }]);
    expect(link.closed?.code).toBe(1008);
    const late = await object().call(await callInput({ device, token, object }));
    expect(told(late)).toMatchObject({ code: 'device_suspended', delivery: 'not_delivered' });
    await expect(FakeLink.open(device)).rejects.toThrow('device_suspended');
  });

  it('tells its link on a socket that was authenticated just before', async () => {
    const { device, set } = await withAdmin();
    // A socket that owes its hello has a timer, which keeps the object in memory.
    stayInMemory();
    const link = await FakeLink.open(device);
    const early = link.until(() => link.closed !== undefined, 'the close');
    await set('suspend');
    await early;
    expect(link.closed?.code).toBe(1008);
  });

  it('comes back when restored, and the result that its link kept corrects the receipt', async () => {
    verifies('fleet.device-lifecycle');
    const { device, object, set, token } = await withAdmin();
    const link = await FakeLink.connect(device);
    const write = await callInput({ device, token, object }, { class: 'write' });
    const running = object().call(write);
    const { call: envelope } = await link.nextCall();
    await set('suspend');
    await running;
    await evictAllDurableObjects();
    expect((await set('restore')).status).toBe(200);
    const back = await FakeLink.connect(device, { holds: [{ dispatch_id: envelope.dispatch_id, state: 'finished' }] });
    back.answer(envelope.dispatch_id, toolResult({ ok: true }));
    const receipt = await eventually(async () => {
      const known = await object().lookUp({ dispatchId: envelope.dispatch_id }, write.call.principal.id);
      return 'receipts' in known ? known.receipts.find(({ delivery }) => delivery === 'delivered') : undefined;
    }, 'the corrected receipt');
    expect(receipt).toMatchObject({ delivery: 'delivered', ok: true });
    await back.cut();
  });

  it('that cannot be told is reported as not finished, and asking again converges', async () => {
    const { set } = await withAdmin();
    const broken = vi.spyOn(Workstation.prototype, 'setStanding').mockImplementation(() => {
      throw new Error('the object is being moved');
    });
    const answer = await set('suspend');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'device_change_incomplete', retryable: true });
    broken.mockRestore();
    expect((await set('suspend')).status).toBe(200);
  });

  it('and paused at the same time is both, whichever word comes last', async () => {
    const { device, object, set, token } = await withAdmin();
    await Promise.all([set('pause'), set('suspend'), set('resume'), set('pause')]);
    const refused = told(await object().call(await callInput({ device, token, object })));
    expect(refused).toMatchObject({ code: 'device_suspended' });
    await set('restore');
    expect(told(await object().call(await callInput({ device, token, object })))).toMatchObject({
      code: 'device_paused',
    });
  });
});

describe('the default device', () => {
  it('is set by any paired one, gets the calls that name none, and is none any more once it is revoked', async () => {
    verifies('edge.routing', 'fleet.device-lifecycle');
    const { device, admin, set, token } = await withAdmin();
    const choose = (id: string | null) => admin.post('/devices/default', { device_id: id });
    const links = [await FakeLink.connect(device), await FakeLink.connect(admin)] as const;
    for (const [link, on] of [
      [links[0], 'studio'],
      [links[1], 'desk'],
    ] as const) {
      link.onCall = ({ call: envelope }) => link.answer(envelope.dispatch_id, toolResult({ ok: true, on }));
    }
    const answered = async () => {
      forgetDevices();
      return bodyOf(await call('herdr_exec', { workspace: 'w', command: 'ls' }, { token }));
    };
    expect(await answered()).toMatchObject({ code: 'device_ambiguous' });
    expect(await (await choose(admin.deviceId)).json()).toMatchObject({ ok: true, device: { is_default: true } });
    expect(await answered()).toMatchObject({ on: 'desk' });
    expect(bodyOf(await call('herdr_devices', {}, { token }))).toMatchObject({ default_device: admin.deviceId });
    expect((await choose(device.deviceId)).status).toBe(200);
    expect(await answered()).toMatchObject({ on: 'studio' });
    const { devices } = (await (await admin.get('/devices')).json()) as { devices: { is_default?: boolean }[] };
    expect(devices.map(({ is_default }) => is_default)).toEqual([true, undefined]);

    await set('revoke');
    expect(await answered()).toMatchObject({ on: 'desk' }); // the only one that is left
    expect(await (await choose(device.deviceId)).json()).toMatchObject({ code: 'device_revoked' });
    expect((await choose('dev_00000000000000000000000000')).status).toBe(404);
    expect(await (await choose(null)).json()).toEqual({ ok: true, device: null });
    expect((await ask('/devices/default', { method: 'POST' })).status).toBeGreaterThanOrEqual(400);
    await links[1].cut();
  });
});

describe('the address of the edge', () => {
  it('is known of every device, connector and automation client that uses it, and written when it changes', async () => {
    verifies('edge.origins');
    const { device } = await withAdmin();
    const old = await (await Client.register({}, OLD_ORIGIN)).connect(device);
    expect((await callMcp(old.access_token, OLD_ORIGIN)).status).toBe(200);
    type Listed = { origin?: string };
    const origins = async () => {
      const listed = async (path: string) => (await (await device.get(path)).json()) as Record<string, Listed[]>;
      const { connectors = [] } = await listed('/connectors');
      const { devices = [] } = await listed('/devices');
      return [connectors, devices].map((all) => all.map(({ origin }) => origin));
    };
    // The rig's own connector and both devices came by the first address.
    expect(await origins()).toEqual([
      [ORIGIN, OLD_ORIGIN],
      [ORIGIN, ORIGIN],
    ]);
    const moved = await device.token({ aud: OLD_ORIGIN });
    await ask('/devices', { origin: OLD_ORIGIN, headers: { authorization: `Bearer ${moved}` } });
    const devices = await bindings.FLEET.getByName('main').listDevices();
    expect(devices.map(({ origin }) => origin)).toEqual([OLD_ORIGIN, ORIGIN]);
  });
});

it('a revoked device ends its socket with 4401 and the call over MCP says so', async () => {
  verifies('fleet.device-lifecycle');
  const { device, set, token } = await withAdmin();
  const link = await FakeLink.connect(device);
  expect((await set('revoke')).status).toBe(200);
  await link.until(() => link.closed !== undefined, 'the close');
  expect(link.closed?.code).toBe(4401);
  forgetDevices();
  const answer = await call('herdr_inspect', { device: device.deviceId }, { token });
  expect(bodyOf(answer)).toMatchObject({ code: 'device_revoked', delivery: 'not_delivered' });
});
