/** Calls that wait: for a runtime that hangs or is not there, for a place, for an answer that the link does not know. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WITHDRAW_MS } from '../../link/limits.ts';
import { statePaths } from '../../local/paths/index.ts';
import { verifies } from '../verifies.ts';
import { at, gate } from './support/each.ts';
import { newDispatchId } from './support/fake-edge.ts';
import { FakeRuntime, text } from './support/fake-runtime.ts';
import { TestClock } from './support/test-clock.ts';
import { until, type Workstation } from './support/workstation.ts';

describe('a runtime that hangs', () => {
  const hang = (at: Workstation, ...paths: string[]): void => {
    at.runtime.intercept = (request) => paths.includes(request.url ?? '');
  };

  it('does not keep the link from connecting: the edge hears of the runtime later', async () => {
    hang(at, '/facts');
    const socket = await at.connect();
    expect(socket.of('hello')[0]?.runtime).toBeUndefined();
    at.runtime.intercept = undefined;
    at.runtime.cut();
    await until(() => socket.of('hello').at(-1)?.runtime !== undefined);
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('for a moment is still a runtime', async () => {
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    const asked = (): number => at.runtime.arrivals.filter((each) => each === 'GET /facts').length;
    const before = asked();
    hang(at, '/facts');
    await clock.passUntil(() => asked() > before);
    at.runtime.cut();
    at.runtime.intercept = undefined;
    const again = asked();
    await clock.passUntil(() => asked() > again);
    expect(socket.of('hello')).toHaveLength(1);
  });
});

describe('a call that waits for a runtime', () => {
  it('can be cancelled, and is then not handed over when one appears', async () => {
    const socket = await at.connect();
    const pointer = statePaths(at.stateDir).runtimeActive;
    rmSync(pointer);
    await until(() => socket.of('hello').at(-1)?.runtime === undefined);
    const id = socket.call({ class: 'write' });
    socket.send({ kind: 'status', query: true });
    await until(() => socket.of('status').at(-1)?.active === 1);
    socket.send({ kind: 'cancel', dispatch_id: id });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({ code: 'cancelled', delivery: 'not_delivered' });
    expect(socket.of('accepted')).toEqual([]);
    at.runtime.announce(at.stateDir);
    await until(() => socket.of('hello').at(-1)?.runtime !== undefined);
    expect(at.runtime.ran).toEqual([]);
  });

  it('is not said to be accepted before something takes it', async () => {
    const socket = await at.connect();
    rmSync(statePaths(at.stateDir).runtimeActive);
    await until(() => socket.of('hello').at(-1)?.runtime === undefined);
    const id = socket.call({ class: 'write' });
    socket.send({ kind: 'status', query: true });
    await until(() => socket.of('status').at(-1)?.active === 1);
    expect(socket.of('accepted')).toEqual([]);
    at.runtime.announce(at.stateDir);
    await until(() => socket.results.has(id));
    expect(socket.of('accepted')).toHaveLength(1);
  });
});

describe('bounds', () => {
  it('a full queue says that the call was not delivered', async () => {
    verifies('link.fairness');
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    const taken = Array.from({ length: 64 + 256 }, () => socket.call({}, { slow: true }));
    const over = socket.call({ class: 'write' });
    await until(() => socket.results.has(over));
    expect(socket.results.get(over)?.envelope).toMatchObject({ code: 'queue_full', delivery: 'not_delivered' });
    release();
    await until(() => taken.every((id) => socket.results.has(id)));
    expect(at.runtime.ran).toHaveLength(320);
  });

  it('a call that waits until its time is nearly over is withdrawn while the others still run, and never handed over', async () => {
    verifies('link.in-time');
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    const slow = Array.from({ length: 64 }, () => socket.call({}, { slow: true }));
    await until(() => at.runtime.ran.length === 64);
    const [patient, hurried] = [
      socket.call({ class: 'write' }),
      socket.call({ class: 'write', deadline_ms: WITHDRAW_MS }),
    ];
    await until(() => socket.results.has(hurried));
    expect(socket.results.get(hurried)?.envelope).toMatchObject({ code: 'request_timeout', delivery: 'not_delivered' });
    release();
    await until(() => [...slow, patient].every((id) => socket.results.has(id)));
    expect(at.runtime.ran.map(({ envelope }) => envelope.dispatch_id)).not.toContain(hurried);
    expect(socket.of('accepted').map(({ dispatch_id }) => dispatch_id)).toEqual([patient]);
  });

  it('a call whose time is over before it begins is not handed over', async () => {
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    for (let n = 0; n < 64; n += 1) socket.call({}, { slow: true });
    await until(() => at.runtime.ran.length === 64);
    const id = socket.call({ class: 'write', deadline_ms: 1 });
    const sentMs = performance.now();
    await until(() => performance.now() - sentMs > 2);
    release();
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({ code: 'request_timeout', delivery: 'not_delivered' });
    expect(at.runtime.ran).toHaveLength(64);
  });

  it('a call for another device is refused', async () => {
    const socket = await at.connect();
    const id = socket.call({ device_id: 'dev_01J000000000000000000OTHER' });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({ code: 'device_not_found', delivery: 'not_delivered' });
    expect(at.runtime.ran).toEqual([]);
  });
});

describe('the edge asks what became of a write that the link does not know', () => {
  it('and hears the ledger: it never came, it ran, or this is another ledger and nobody knows', async () => {
    verifies('link.outcome-table', 'dispatch.at-most-once');
    const socket = await at.connect();
    const never = newDispatchId();
    const foreign = newDispatchId();
    const ran = socket.call({ class: 'write' });
    await until(() => at.runtime.acked.includes(ran));
    at.runtime.ledger.set(ran, {
      class: 'write',
      finished: true,
      promise: Promise.resolve({
        envelope: { dispatch_id: ran, delivery: 'delivered', ok: true, size: 2 },
        body: text('{}'),
      }),
    });
    socket.results.delete(ran);
    socket.send({ kind: 'settle', dispatch_id: never, runtime_boot_id: at.runtime.bootId });
    socket.send({ kind: 'settle', dispatch_id: never, runtime_boot_id: at.runtime.bootId });
    socket.send({ kind: 'settle', dispatch_id: ran, runtime_boot_id: at.runtime.bootId });
    socket.send({ kind: 'settle', dispatch_id: foreign, runtime_boot_id: 'boot-elsewhere' });
    await until(() => [never, ran, foreign].every((id) => socket.results.has(id)));
    const deliveries = [never, ran, foreign].map((id) => socket.results.get(id)?.envelope.delivery);
    expect(deliveries).toEqual(['not_delivered', 'delivered', 'unknown']);
    expect(at.runtime.settled.filter(([id]) => id === never)).toHaveLength(1);
    expect(at.runtime.ran).toHaveLength(1);
  });

  it('and is asked of the generation that the write was sent to, while that lives', async () => {
    verifies('link.outcome-table');
    const other = await new FakeRuntime('b', at.runtime.ledger).listen();
    try {
      const socket = await at.connect();
      other.announce(at.stateDir, true, 2);
      await until(() => socket.of('hello').at(-1)?.runtime?.generation === 'b');
      const id = newDispatchId();
      socket.send({ kind: 'settle', dispatch_id: id, runtime_boot_id: at.runtime.bootId });
      await until(() => socket.results.has(id));
      expect(at.runtime.settled).toEqual([[id, at.runtime.bootId]]);
      expect(other.settled).toEqual([]);
    } finally {
      await other.close();
    }
  });
});
