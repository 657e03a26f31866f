/** A hundred workstations that are linked: who lists or revokes has a question for each, and asks all of them at once. */
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import { ulid } from '../../../contract/ids.ts';
import { Workstation } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { connectorsSeenBy } from '../auth/harness.ts';
import { reset, stayInMemory } from '../evictions.ts';
import { bodyOf, call, rpc } from '../mcp/client.ts';
import { bindings, eventually, freshEdge } from '../workstation/rig.ts';

const DEVICES = 100;
/** All but the first, which was paired and has no link. */
const LINKED = DEVICES - 1;
/** A hundred objects wake for the first time, on a machine that may be busy with other tests. */
const PATIENCE = { timeout: 180_000 };

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Copies of the one real device whose last admitted link has not ended, as the registry sees it. */
async function growLinked(): Promise<void> {
  const before = Date.now() - 1_000_000;
  await runInDurableObject(bindings.FLEET.getByName('main'), (_, { storage: { sql } }) => {
    for (let n = 1; n < DEVICES; n++) {
      sql.exec(
        `INSERT INTO devices (device_id, name, public_key, authorization, paused, paired_at_ms, may_be_linked, link_id)
           SELECT ?, ?, public_key, authorization, paused, paired_at_ms, 1, ? FROM devices LIMIT 1`,
        `dev_${ulid(before + n, crypto.getRandomValues(new Uint8Array(10)))}`,
        `machine ${n}`,
        `link ${n}`,
      );
    }
  });
}

/** Holds every object's answer back until so many have been asked; whoever asks one after the other never gets there. */
function together(method: 'status' | 'revokeConnector'): () => number {
  let asked = 0;
  const original = Workstation.prototype[method] as (...args: unknown[]) => unknown;
  vi.spyOn(Workstation.prototype, method).mockImplementation(async function (this: Workstation, ...args: unknown[]) {
    asked += 1;
    await eventually(() => (asked >= LINKED ? true : undefined), 'all of them at once');
    return original.apply(this, args);
  } as never);
  return () => asked;
}

it('are asked for their state, and told of a revocation, all at once and each once', PATIENCE, async () => {
  verifies('edge.flat');
  const { device, token } = await freshEdge({});
  const { connectors } = await connectorsSeenBy(device);
  await growLinked();
  stayInMemory();
  const asked = together('status');
  const devices = bodyOf(await call('herdr_devices', {}, { token })).devices;
  expect(devices).toHaveLength(DEVICES);
  // The list waits for nobody longer than its own time limit; the questions were sent all the same.
  await eventually(() => (asked() >= LINKED ? true : undefined), 'every question');
  expect(asked()).toBe(LINKED);
  const told = together('revokeConnector');
  const answer = await device.post('/connectors/revoke', { connector_id: connectors.at(-1)?.connector_id });
  expect(await answer.json()).toMatchObject({ ok: true, confirmed_by: { length: DEVICES } });
  expect(told()).toBe(LINKED);
  expect((await rpc('ping', {}, { token })).status).toBe(401);
});
