/** A workstation that goes over to another address of its edge, and one that is paired anew, while its link runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDevice } from '../../../link/identity/index.ts';
import { moveDevice, openIdentity, readDevice } from '../../../link/index.ts';
import { verifies } from '../../verifies.ts';
import { at } from '../support/each.ts';
import { DEVICE_ID, FakeEdge } from '../support/fake-edge.ts';
import { text } from '../support/fake-runtime.ts';
import { until } from '../support/workstation.ts';

let other: FakeEdge;
beforeEach(async () => {
  other = await new FakeEdge({ publicKey: () => at.key.publicKey }).listen();
});
afterEach(async () => {
  await other.close();
});

const listed = (device_id: string) => ({
  status: 200,
  body: {
    ok: true,
    devices: [{ device_id, name: 'x', authorization: 'active', paused: false, paired_at_ms: 0, connection: 'online' }],
    self: device_id,
    observed_at_ms: 0,
  },
});
const move = async (address: string) => moveDevice(await openIdentity(at.stateDir), at.stateDir, address, {});

describe('another address of the same edge', () => {
  it('is asked first; the link follows on its own, and what ran meanwhile is held for it', async () => {
    verifies('edge.origins', 'dispatch.survives-cut');
    other.routes.set('GET /devices', () => listed(DEVICE_ID));
    let release = (): void => {};
    at.runtime.tool = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return text('late');
    };
    const socket = await at.connect();
    const running = socket.call({ class: 'write' });
    await until(() => at.runtime.ran.length === 1);
    expect(await move(other.origin)).toMatchObject({ edge_origin: other.origin, mcp_url: `${other.origin}/mcp` });
    await until(() => other.sockets.length === 1 && at.state === 'connected');
    const { statuses } = at;
    expect(statuses.at(-1)).toMatchObject({ edge_origin: other.origin, boot_id: statuses[0]?.boot_id });
    expect(at.edge.sockets).toHaveLength(1);
    const [hello] = other.latest?.of('hello') ?? [];
    expect(hello?.holds.map(({ dispatch_id }) => dispatch_id)).toEqual([running]);
    release();
    await until(() => other.latest?.results.has(running) === true);
    expect(at.runtime.ran).toHaveLength(1);
  });

  it.each([
    ['that does not know this machine', () => ({ status: 401, body: {} }), 'edge_answer_unreadable'],
    ['that knows it as another device', () => listed('dev_01J000000000000000000THER0'), 'edge_answer_unreadable'],
  ] as const)('%s changes nothing', async (_, answer, code) => {
    verifies('edge.origins');
    other.routes.set('GET /devices', answer);
    await expect(move(other.origin)).rejects.toMatchObject({ code });
    expect(await readDevice(at.stateDir)).toMatchObject({ edge_origin: at.edge.origin });
  });

  it.each(['http://edge.example', 'https://edge.example/elsewhere', 'ftp://edge.example', ''])(
    'that is none (%s) is not asked',
    async (address) => {
      await expect(move(address)).rejects.toMatchObject({ code: 'edge_origin_invalid' });
    },
  );
});

it('a machine that is paired anew is not spoken for by the link of the device before', async () => {
  verifies('fleet.pairing');
  await at.connect();
  const device = await readDevice(at.stateDir);
  if (!device) throw new Error('not paired');
  await writeDevice(at.stateDir, { ...device, device_id: 'dev_01J000000000000000000THER0' });
  expect(await at.link?.ended).toBe('stopped');
});
