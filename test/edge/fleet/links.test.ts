/** What the fleet notes of links: nobody who is away is asked, and nobody who comes back misses that a connector ended. */
import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { connectorsSeenBy, type Device } from '../auth/harness.ts';
import { stayInMemory } from '../evictions.ts';
import { bodyOf, call } from '../mcp/client.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { bindings, callInput, eventually, freshEdge, told } from '../workstation/rig.ts';

afterEach(() => vi.restoreAllMocks());

async function listed(token: string): Promise<Record<string, unknown>[]> {
  return bodyOf(await call('herdr_devices', {}, { token })).devices as Record<string, unknown>[];
}

async function connectorOf(device: Device): Promise<string> {
  const { connectors } = await connectorsSeenBy(device);
  return connectors.at(-1)?.connector_id ?? '';
}

/** Every step may find the objects evicted. */
const BETWEEN = [
  ['nothing happens between the steps', async () => undefined],
  ['every object is evicted between the steps', () => evictAllDurableObjects()],
] as const;

/** The fleet's note of the end is an hour old. */
async function longAgo(): Promise<void> {
  const fleet = bindings.FLEET.getByName('main') as DurableObjectStub<Rpc.DurableObjectBranded>;
  await runInDurableObject(fleet, (_, { storage }) => {
    storage.sql.exec('UPDATE devices SET link_ended_at_ms = link_ended_at_ms - 3600000');
  });
}

describe.each(BETWEEN)('listing, when %s', (_, between) => {
  it('asks the object of a workstation only while a link may be there', async () => {
    verifies('edge.devices-tool', 'edge.flat');
    const { device, token } = await freshEdge();
    const asked = vi.spyOn(Workstation.prototype, 'status');
    expect(await listed(token)).toMatchObject([{ connection: 'offline', health: 'unknown' }]);
    expect(asked).not.toHaveBeenCalled();
    await between();
    const link = await FakeLink.connect(device);
    await between();
    expect(await listed(token)).toMatchObject([{ connection: 'online', health: 'ok' }]);
    expect(asked).toHaveBeenCalledTimes(1);
    await link.cut();
    await eventually(async () => {
      const [known] = await bindings.FLEET.getByName('main').listDevices();
      return known?.may_be_linked === false || undefined;
    }, 'the note of the end');
    await longAgo();
    await between();
    const [row] = await listed(token);
    expect(row).toMatchObject({ connection: 'offline' });
    expect(row?.last_seen_ago_ms).toBeGreaterThanOrEqual(3_600_000);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('does not take a late end of the old link for the end of the new one', async () => {
    const { device, token } = await freshEdge();
    const first = await FakeLink.connect(device);
    await between();
    const second = await FakeLink.connect(device, { bootId: 'boot-2' });
    await first.until(() => first.closed !== undefined, 'the replacement');
    await between();
    expect(await listed(token)).toMatchObject([{ connection: 'online' }]);
    expect(await (await device.get('/devices')).json()).toMatchObject({ devices: [{ connection: 'online' }] });
    await second.cut();
  });
});

describe.each(BETWEEN)('a connector that ends while its workstation is away, when %s', (_, between) => {
  it('is refused at once, and over the link that comes later before its first call', async () => {
    verifies('oauth.revocation');
    const { device, token, object } = await freshEdge();
    const id = await connectorOf(device);
    expect(bodyOf(await call('herdr_fs_read', { path: '/a' }, { token }))).toMatchObject({
      code: 'workstation_offline',
    });
    await between();
    const answer = await device.post('/connectors/revoke', { connector_id: id });
    expect(await answer.json()).toMatchObject({ ok: true, confirmed_by: [device.deviceId] });
    expect((await call('herdr_fs_read', { path: '/a' }, { token })).status).toBe(401);
    await between();
    const link = await FakeLink.connect(device);
    await link.until(() => link.of('revoke').length > 0, 'the revocation');
    expect(link.of('revoke')).toMatchObject([{ connector_id: id }]);
    await between();
    const remembered = await callInput({ device, token, object }, { class: 'write', principalId: id });
    expect(told(await object().call(remembered))).toEqual({ revoked: true });
    expect(link.calls).toEqual([]);
    await link.cut();
  });
});

it('a call that waits for its link is ended by the revocation and never sent', async () => {
  verifies('oauth.revocation');
  const { device, token, object } = await freshEdge();
  const id = await connectorOf(device);
  const link = await FakeLink.connect(device);
  await link.cut();
  // An object with a waiting call is not evicted: the plugin would wait for the end of the call.
  stayInMemory();
  const waiting = object().call(await callInput({ device, token, object }, { class: 'write', principalId: id }));
  const other = object().call(await callInput({ device, token, object }, { class: 'write' }));
  expect((await device.post('/connectors/revoke', { connector_id: id })).status).toBe(200);
  const back = await FakeLink.connect(device);
  expect(told(await waiting)).toEqual({ revoked: true });
  const { call: sent } = await back.nextCall();
  back.answer(sent.dispatch_id, toolResult({ ok: true, text: 'of somebody else' }));
  expect(told(await other)).toMatchObject({ text: 'of somebody else' });
  expect(back.calls).toHaveLength(1);
  await back.cut();
});
