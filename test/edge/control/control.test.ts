/**
 * Work chains, planner leases and execution lanes over MCP, as planners and automations use them.
 * Long because every file here loads the whole Worker into a workerd of its own, which takes seconds.
 */
import { evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTROL_METHODS } from '../../../contract/fleet/index.ts';
import { verifies } from '../../verifies.ts';
import { Client, Device, postForm } from '../auth/harness.ts';
import { reset } from '../evictions.ts';
import { bodyOf, call } from '../mcp/client.ts';
import { bindings, freshEdge } from '../workstation/rig.ts';

let device: Device;
let alice: string;

beforeEach(async () => {
  ({ device, token: alice } = await freshEdge({}));
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await reset();
});

/** A second approved connector. */
async function anotherOne(approval: Record<string, unknown> = {}): Promise<string> {
  return (await (await Client.register({ client_name: 'Other Host' })).connect(device, approval)).access_token;
}

async function control(
  token: string,
  method: string,
  params: Record<string, unknown> = {},
  key?: string,
): Promise<Record<string, unknown>> {
  const args = {
    method: `herdr_mcp.${method}`,
    params: JSON.stringify(params),
    ...(key === undefined ? {} : { idempotency_key: key }),
  };
  return bodyOf(await call('herdr_call', args, { token }));
}

interface Lease {
  lease_generation: number;
  expires_at_ms: number;
  state: string;
}

async function chain(token: string): Promise<string> {
  const { work_chain } = await control(token, 'work_chain.create');
  return (work_chain as { work_chain_id: string }).work_chain_id;
}

async function acquired(token: string, work_chain_id: string): Promise<number> {
  const { planner_lease } = await control(token, 'planner_lease.acquire', { work_chain_id });
  return (planner_lease as Lease).lease_generation;
}

const checkpoint = (revision = 1) => ({
  revision,
  digest: `sha256:${'a'.repeat(64)}`,
  device_id: device.deviceId,
});

const lane = (changes: Record<string, unknown> = {}) => ({
  device_id: device.deviceId,
  repo: 'git@github.com:owner/name.git',
  base_commit: 'b'.repeat(40),
  branch: 'feature/one',
  ...changes,
});

describe('a work chain', () => {
  it('takes a checkpoint’s reference from who plans and has seen its revision, and nobody else', async () => {
    verifies('edge.fleet-control');
    const id = await chain(alice);
    const lease_generation = await acquired(alice, id);
    await evictAllDurableObjects();
    const update = (expected_revision: number, more: Record<string, unknown> = {}, token = alice) =>
      control(token, 'work_chain.checkpoint.update', {
        work_chain_id: id,
        expected_revision,
        lease_generation,
        checkpoint: checkpoint(),
        ...more,
      });
    expect(await update(1)).toMatchObject({ ok: true, work_chain: { revision: 2, checkpoint: checkpoint() } });
    expect(await update(1)).toMatchObject({ code: 'work_chain_revision_conflict', revision: 2, retryable: false });
    expect(await update(2, { lease_generation: lease_generation + 1 })).toMatchObject({ code: 'planner_lease_lost' });
    expect(await update(2, {}, await anotherOne())).toMatchObject({ code: 'planner_lease_lost' });
    await evictAllDurableObjects();
    expect(await control(alice, 'work_chain.inspect', { work_chain_id: id })).toMatchObject({
      work_chain: { revision: 2 },
      planner_lease: { state: 'live', lease_generation, held_by_you: true },
      execution_lanes: [],
    });
  });

  it('stores ids, revisions and fences, and takes nothing that is a text', async () => {
    verifies('edge.fleet-control');
    const id = await chain(alice);
    const lease_generation = await acquired(alice, id);
    const refused = await control(alice, 'work_chain.checkpoint.update', {
      work_chain_id: id,
      expected_revision: 1,
      lease_generation,
      checkpoint: { ...checkpoint(), summary: 'what we decided' },
    });
    expect(refused).toMatchObject({ code: 'invalid_params', delivery: 'not_delivered' });
    expect(await control(alice, 'work_chain.create', { title: 'My project' })).toMatchObject({
      code: 'invalid_params',
    });
    const columns = await runInDurableObject(bindings.FLEET.getByName('main'), (_, state) =>
      state.storage.sql
        .exec<{ name: string }>("SELECT name FROM pragma_table_info('work_chains')")
        .toArray()
        .map(({ name }) => name),
    );
    expect(columns.sort()).toEqual([
      'checkpoint_device',
      'checkpoint_digest',
      'checkpoint_revision',
      'created_at_ms',
      'created_by',
      'lease_generation',
      'lease_holder',
      'lease_reason',
      'lease_until_ms',
      'revision',
      'touched_at_ms',
      'work_chain_id',
    ]);
  });

  it('that nobody made is not found, and a misspelt id is refused before anybody is asked', async () => {
    expect(await control(alice, 'work_chain.inspect', { work_chain_id: `wc_${'0'.repeat(32)}` })).toMatchObject({
      code: 'work_chain_not_found',
    });
    expect(await control(alice, 'work_chain.inspect', { work_chain_id: 'mine' })).toMatchObject({
      code: 'invalid_params',
    });
  });
});

describe('the planner lease', () => {
  it('has one holder, whose number only rises; of ten that want it at once one gets it', async () => {
    verifies('edge.fleet-control');
    const id = await chain(alice);
    const bob = await anotherOne();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        control(n % 2 === 0 ? alice : bob, 'planner_lease.acquire', { work_chain_id: id }),
      ),
    );
    expect(answers.filter(({ ok }) => ok === true)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'planner_lease_held')).toHaveLength(9);
  });

  it('that ran out is acquired by the next one, and fences the late holder everywhere', async () => {
    verifies('edge.fleet-control');
    const id = await chain(alice);
    const bob = await anotherOne();
    const first = await acquired(alice, id);
    vi.setSystemTime(Date.now() + 5 * 60_000);
    await evictAllDurableObjects();
    expect(await acquired(bob, id)).toBe(first + 1);
    const late = { work_chain_id: id, lease_generation: first };
    for (const [method, params] of [
      ['planner_lease.renew', late],
      ['planner_lease.release', late],
      ['work_chain.checkpoint.update', { ...late, expected_revision: 1, checkpoint: checkpoint() }],
      ['execution_lane.create', { ...late, ...lane() }],
    ] as const) {
      expect(await control(alice, method, params)).toMatchObject({
        code: 'planner_lease_lost',
        lease_generation: first + 1,
        held_by_you: false,
      });
    }
  });

  it('is renewed and released by its holder; releasing twice is the same, renewing what is gone is not', async () => {
    const id = await chain(alice);
    const mine = { work_chain_id: id, lease_generation: await acquired(alice, id) };
    const before = Date.now();
    const { planner_lease } = await control(alice, 'planner_lease.renew', { ...mine, ttl_ms: 600_000 });
    expect((planner_lease as Lease).expires_at_ms).toBeGreaterThanOrEqual(before + 600_000);
    for (let n = 0; n < 2; n++) {
      expect(await control(alice, 'planner_lease.release', mine)).toMatchObject({
        ok: true,
        planner_lease: { state: 'released' },
      });
    }
    expect(await control(alice, 'planner_lease.renew', mine)).toMatchObject({ code: 'planner_lease_lost' });
    expect(await acquired(alice, id)).toBe(mine.lease_generation + 1);
  });

  it.each([29_999, 1_800_001, 1.5, '300000'])('does not last %s ms', async (ttl_ms) => {
    const id = await chain(alice);
    expect(await control(alice, 'planner_lease.acquire', { work_chain_id: id, ttl_ms })).toMatchObject({
      code: 'invalid_params',
    });
  });

  it('is taken over only from somebody else who holds it, with a reason and a confirmation', async () => {
    verifies('edge.fleet-control');
    const id = await chain(alice);
    const bob = await anotherOne();
    const lease_generation = await acquired(alice, id);
    const wish = { work_chain_id: id, lease_generation, reason: 'the person moved to this chat', confirm: true };
    const takeover = (token: string, changes: Record<string, unknown> = {}) =>
      control(token, 'planner_lease.takeover', { ...wish, ...changes });
    expect(await takeover(bob, { confirm: false })).toMatchObject({ code: 'invalid_params' });
    expect(await takeover(bob, { reason: 'x'.repeat(513) })).toMatchObject({ code: 'invalid_params' });
    expect(await takeover(bob, { lease_generation: lease_generation + 1 })).toMatchObject({
      code: 'planner_lease_not_takeable',
    });
    expect(await takeover(alice)).toMatchObject({ code: 'planner_lease_not_takeable' });
    expect(await takeover(bob)).toMatchObject({ planner_lease: { lease_generation: lease_generation + 1 } });
    expect(await control(alice, 'planner_lease.inspect', { work_chain_id: id })).toMatchObject({
      planner_lease: { held_by_you: false, taken_over_because: wish.reason },
    });
    expect(await takeover(bob)).toMatchObject({ code: 'planner_lease_not_takeable' });
  });
});

describe('an execution lane', () => {
  async function planned(): Promise<{ id: string; lease_generation: number }> {
    const id = await chain(alice);
    return { id, lease_generation: await acquired(alice, id) };
  }

  const create = (plan: { id: string; lease_generation: number }, changes: Record<string, unknown> = {}) =>
    control(alice, 'execution_lane.create', {
      work_chain_id: plan.id,
      lease_generation: plan.lease_generation,
      ...lane(changes),
    });

  it('owns its branch until it is over, however the remote is written, also against another chain', async () => {
    verifies('edge.fleet-control');
    const plan = await planned();
    const made = await create(plan);
    expect(made).toMatchObject({ execution_lane: { state: 'planned', generation: 1, repo: 'github.com/owner/name' } });
    const { lane_id } = made.execution_lane as { lane_id: string };
    await evictAllDurableObjects();
    const other = await planned();
    expect(await create(other, { repo: 'https://github.com/Owner/Name' })).toMatchObject({
      code: 'execution_lane_taken',
      lane_id,
    });
    expect(await create(other, { branch: 'feature/two' })).toMatchObject({ ok: true });
    const update = (expected_generation: number, state: string) =>
      control(alice, 'execution_lane.update', { lane_id, expected_generation, state });
    expect(await update(1, 'completed')).toMatchObject({ code: 'execution_lane_state_invalid' });
    expect(await update(1, 'active')).toMatchObject({ execution_lane: { generation: 2, state: 'active' } });
    expect(await update(1, 'blocked')).toMatchObject({ code: 'execution_lane_generation_conflict', generation: 2 });
    expect(await update(2, 'completed')).toMatchObject({ execution_lane: { generation: 3 } });
    expect(await update(3, 'active')).toMatchObject({ code: 'execution_lane_state_invalid' });
    expect(await control(alice, 'execution_lane.inspect', { lane_id })).toMatchObject({
      execution_lane: { state: 'completed', base_commit: 'b'.repeat(40) },
    });
    expect(await create(other)).toMatchObject({ ok: true });
  });

  it('of five that want a branch at once gets it to one', async () => {
    const plan = await planned();
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(plan)));
    expect(answers.filter(({ ok }) => ok === true)).toHaveLength(1);
  });

  it.each([
    ['a short commit', { base_commit: 'abc123' }, 'invalid_params'],
    ['a branch with dots', { branch: 'a..b' }, 'invalid_params'],
    ['a branch with a space', { branch: 'a b' }, 'invalid_params'],
    ['a branch like an option', { branch: '-f' }, 'invalid_params'],
    ['a local repository', { repo: '/home/me/repo' }, 'invalid_params'],
    ['an unknown device', { device_id: `dev_${'0'.repeat(26)}` }, 'device_not_found'],
    ['steps', { steps: ['one'] }, 'invalid_params'],
  ])('with %s is refused', async (_, changes, code) => {
    expect(await create(await planned(), changes)).toMatchObject({ ok: false, code });
  });
});

describe('an idempotency key', () => {
  it('gives the first answer again, also after the object was reset, and never acts twice', async () => {
    verifies('edge.fleet-control');
    const first = await control(alice, 'work_chain.create', {}, 'key-1');
    await evictAllDurableObjects();
    const again = await control(alice, 'work_chain.create', {}, 'key-1');
    expect(again).toEqual({ ...first, replayed: true });
    const both = await Promise.all([1, 2].map(() => control(alice, 'work_chain.create', {}, 'key-2')));
    expect(new Set(both.map((one) => (one.work_chain as { work_chain_id: string }).work_chain_id)).size).toBe(1);
    const other = await control(await anotherOne(), 'work_chain.create', {}, 'key-1');
    expect(other).not.toHaveProperty('replayed');
  });

  it('with another payload is a conflict, and a refusal does not use it up', async () => {
    const id = await chain(alice);
    const wish = { work_chain_id: id, lease_generation: 1, expected_revision: 1, checkpoint: checkpoint() };
    expect(await control(alice, 'work_chain.checkpoint.update', wish, 'k')).toMatchObject({
      code: 'planner_lease_lost',
    });
    await acquired(alice, id);
    expect(await control(alice, 'work_chain.checkpoint.update', wish, 'k')).toMatchObject({ ok: true });
    const changed = { ...wish, checkpoint: checkpoint(9) };
    expect(await control(alice, 'work_chain.checkpoint.update', changed, 'k')).toMatchObject({
      code: 'idempotency_key_conflict',
    });
  });

  it('is refused when too many are remembered, and the same call without one still works', async () => {
    await runInDurableObject(bindings.FLEET.getByName('main'), (_, state) => {
      for (let n = 0; n < 256; n++) {
        state.storage.sql.exec(
          "INSERT INTO control_answers VALUES (?, 'conn_x', 'admission', 'd', '{}', ?)",
          `k${n}`,
          Date.now() + 60_000,
        );
      }
    });
    expect(await control(alice, 'work_chain.create', {}, 'one-more')).toMatchObject({ code: 'control_capacity' });
    expect(await control(alice, 'work_chain.create')).toMatchObject({ ok: true });
  });
});

describe('who may', () => {
  it('a read-only approval looks and changes nothing', async () => {
    const id = await chain(alice);
    const reader = await anotherOne({ read_only: true });
    expect(await control(reader, 'work_chain.inspect', { work_chain_id: id })).toMatchObject({ ok: true });
    expect(await control(reader, 'planner_lease.acquire', { work_chain_id: id })).toMatchObject({
      code: 'connector_read_only',
    });
  });

  it('an approval for one device plans for that device only', async () => {
    const second = await device.post('/devices/pairings', {});
    const other = await Device.unpaired();
    await other.join((await second.json()) as { pairing_id: string; code: string });
    const bound = await anotherOne({ device_id: device.deviceId });
    const id = await chain(bound);
    const lease_generation = await acquired(bound, id);
    const create = (device_id: string) =>
      control(bound, 'execution_lane.create', { work_chain_id: id, lease_generation, ...lane({ device_id }) });
    expect(await create(other.deviceId)).toMatchObject({ code: 'device_not_allowed' });
    expect(await create(device.deviceId)).toMatchObject({ ok: true });
  });

  it('an automation client takes nothing over', async () => {
    const made = await device.post('/automations', { name: 'ci', device_id: device.deviceId });
    const { automation, client_secret } = (await made.json()) as {
      automation: { client_id: string };
      client_secret: string;
    };
    const granted = await postForm('/token', {
      grant_type: 'client_credentials',
      client_id: automation.client_id,
      client_secret,
    });
    const { access_token: ci } = (await granted.json()) as { access_token: string };
    const id = await chain(alice);
    const lease_generation = await acquired(alice, id);
    const wish = { work_chain_id: id, lease_generation, reason: 'because', confirm: true };
    expect(await control(ci, 'planner_lease.takeover', wish)).toMatchObject({ code: 'takeover_not_allowed' });
    expect(await control(ci, 'planner_lease.inspect', { work_chain_id: id })).toMatchObject({ ok: true });
  });

  it.each([
    'device.pair',
    'device.revoke',
    'device.rename',
    'device.pause',
    'device.resume',
    'device.suspend',
    'device.restore',
    'device.rotate_key',
    'device.of-tomorrow',
    'connector.inspect',
    'connector.deny',
    'connector.approve',
    'connector.revoke',
    'automation.list',
    'automation.create',
    'automation.rotate',
    'automation.revoke',
  ])('nobody administers with %s over MCP: the answer names the command', async (method) => {
    verifies('edge.fleet-control');
    const answer = await control(alice, method, { device_id: device.deviceId, confirm: true });
    expect(answer).toMatchObject({ code: 'fleet_admin_required', delivery: 'not_delivered' });
    expect(answer.next).toMatch(/`herdr-mcp (worker|connector|automation) [a-z-]+`/);
  });

  it('a device selector is refused: nothing of this goes to a workstation', async () => {
    const args = { method: 'herdr_mcp.work_chain.create', device: device.deviceId };
    expect(bodyOf(await call('herdr_call', args, { token: alice }))).toMatchObject({ code: 'invalid_params' });
  });

  it('herdr_methods tells all eleven with their params when it is asked for them', async () => {
    const answer = bodyOf(await call('herdr_methods', { query: 'work_chain' }, { token: alice }));
    expect(answer).toMatchObject({ ok: true, source: 'edge', count: 11 });
    const listed = (answer.methods as { method: string; class: string }[]).map(({ method }) => method);
    expect(listed).toEqual(Object.keys(CONTROL_METHODS));
  });
});
