/** 100 devices and 1,000 connectors: what a call, a look and a revocation read does not grow with what merely exists. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { timeOrdered, ulid } from '../../../contract/ids.ts';
import { forgetDevices } from '../../../edge/mcp/index.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { connectorsSeenBy, type Device, ORIGIN } from '../auth/harness.ts';
import { reset, stayInMemory } from '../evictions.ts';
import { bodyOf, call, rpc } from '../mcp/client.ts';
import { bindings, freshEdge, type Rig } from '../workstation/rig.ts';

const DEVICES = 100;
const CONNECTORS = 1000;
/** A hundred objects wake for the first time, on a machine that may be busy with other tests. */
const PATIENCE = { timeout: 180_000 };

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const random = () => crypto.getRandomValues(new Uint8Array(10));

/** Copies of the one real device, connector and grant, under ids of their own. */
async function grow(): Promise<void> {
  const before = Date.now() - 1_000_000;
  await runInDurableObject(bindings.FLEET.getByName('main'), (_, { storage: { sql } }) => {
    for (let n = 1; n < DEVICES; n++) {
      sql.exec(
        `INSERT INTO devices (device_id, name, public_key, authorization, paused, paired_at_ms, may_be_linked)
           SELECT ?, ?, public_key, authorization, paused, paired_at_ms, 0 FROM devices LIMIT 1`,
        `dev_${ulid(before + n, random())}`,
        `machine ${n}`,
      );
    }
  });
  await runInDurableObject(bindings.AUTH.getByName('main'), (_, { storage: { sql } }) => {
    for (let n = 1; n < CONNECTORS; n++) {
      const id = `conn_${timeOrdered(before + n, random())}`;
      sql.exec(
        `INSERT INTO connectors SELECT ?, state, client_id, app, label, scopes, read_only, device_id, approved_at_ms,
           approved_by, connected_at_ms, last_used_at_ms, ended_at_ms, ended_why, origin FROM connectors LIMIT 1`,
        id,
      );
      for (const kind of ['grant', 'token']) {
        sql.exec(`INSERT INTO entries VALUES (?, '{}', ?)`, `${kind}:${id}:g:${n}`, Date.now() + 1_000_000);
      }
    }
  });
}

/** Rows that the objects read while `work` runs. */
async function rowsReadBy(object: 'AUTH' | 'FLEET', work: () => Promise<unknown>): Promise<number> {
  stayInMemory();
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await runInDurableObject(
    bindings[object].getByName('main') as DurableObjectStub<Rpc.DurableObjectBranded>,
    (_, state) => {
      const { sql } = state.storage;
      const exec = sql.exec.bind(sql);
      vi.spyOn(sql, 'exec').mockImplementation(((query: string, ...values: unknown[]) => {
        const cursor = exec(query, ...values);
        cursors.push(cursor);
        return cursor;
      }) as typeof sql.exec);
    },
  );
  await work();
  vi.restoreAllMocks();
  return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
}

async function revocation({ device }: Rig): Promise<() => Promise<unknown>> {
  const { connectors } = await connectorsSeenBy(device);
  return () => device.post('/connectors/revoke', { connector_id: connectors.at(-1)?.connector_id });
}

const look = ({ token }: Rig) => rpc('ping', {}, { token });

it(
  'a token is judged and a connector is revoked by reading the same rows as when there is one of each',
  PATIENCE,
  async () => {
    verifies('edge.flat');
    const small = await freshEdge({});
    const judged = await rowsReadBy('AUTH', () => look(small));
    const revoked = await rowsReadBy('AUTH', await revocation(small));
    expect(judged).toBeGreaterThan(0);
    expect(revoked).toBeGreaterThan(0);
    const large = await freshEdge({});
    await grow();
    expect(await rowsReadBy('AUTH', () => look(large))).toBeLessThanOrEqual(judged);
    expect(await rowsReadBy('AUTH', await revocation(large))).toBeLessThanOrEqual(revoked);
    expect((await look(large)).status).toBe(401);
  },
);

it('a revocation wakes no workstation that is away', PATIENCE, async () => {
  verifies('edge.flat');
  const rig = await freshEdge({});
  await grow();
  const told = vi.spyOn(Workstation.prototype, 'revokeConnector');
  const answer = (await (await revocation(rig))()) as Response;
  expect(await answer.json()).toMatchObject({ ok: true });
  expect(told).not.toHaveBeenCalled();
});

it('a call is routed by one reading of the list, and asks one workstation of a hundred', PATIENCE, async () => {
  verifies('edge.flat');
  const { device, token } = await freshEdge({});
  await grow();
  forgetDevices();
  const called = vi.spyOn(Workstation.prototype, 'call');
  const read = await rowsReadBy('FLEET', async () => {
    for (let n = 0; n < 5; n++) {
      const answer = await call('herdr_fs_read', { path: '/a', device: device.deviceId }, { token });
      expect(bodyOf(answer)).toMatchObject({ code: 'workstation_offline' });
    }
  });
  expect(called).toHaveBeenCalledTimes(5);
  expect(read).toBeLessThanOrEqual(DEVICES);
});

it('a device proves itself by reading its own row, and everything is listed in one answer', PATIENCE, async () => {
  verifies('edge.flat');
  const { device, token } = await freshEdge({});
  await grow();
  const proving = await rowsReadBy('FLEET', async () => {
    await bindings.FLEET.getByName('main').authenticate(await (device as Device).token({ aud: ORIGIN }));
  });
  expect(proving).toBeLessThan(10);
  const asked = vi.spyOn(Workstation.prototype, 'status');
  const devices = bodyOf(await call('herdr_devices', {}, { token })).devices as unknown[];
  expect(devices).toHaveLength(DEVICES);
  expect(asked).not.toHaveBeenCalled();
  expect((await connectorsSeenBy(device)).connectors).toHaveLength(CONNECTORS);
});
