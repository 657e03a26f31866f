import { describe, expect, it } from 'vitest';
import { REJOIN_FIRST_MS } from '../../link/limits.ts';
import { verifies } from '../verifies.ts';
import { at } from './support/each.ts';
import { text } from './support/fake-runtime.ts';
import { until } from './support/workstation.ts';

describe('a call', () => {
  it('goes to the active runtime and its result comes back byte for byte', async () => {
    verifies('link.connect');
    const body = Uint8Array.from({ length: 3000 }, (_, i) => i % 256);
    at.runtime.tool = async () => body;
    const socket = await at.connect();
    const id = socket.call({ traceparent: '00-x-y-01' }, { path: '/a' });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.body).toEqual(body);
    expect(socket.results.get(id)?.envelope).toMatchObject({ dispatch_id: id, delivery: 'delivered', ok: true });
    expect(at.runtime.ran[0]).toMatchObject({
      args: { path: '/a' },
      envelope: { dispatch_id: id, traceparent: '00-x-y-01' },
    });
    await until(() => at.runtime.acked.includes(id));
  });

  it('says hello with its runtime, and connected only after the welcome', async () => {
    verifies('link.liveness');
    at.edge.onHello = () => undefined;
    await at.start();
    await until(() => at.edge.latest?.of('hello').length === 1);
    expect(at.state).toBe('connecting');
    const [hello] = at.socket().of('hello');
    expect(hello).toMatchObject({ protocol: 2, runtime: at.runtime.facts, holds: [] });
    at.socket().send(at.edge.welcome(hello as NonNullable<typeof hello>));
    await until(() => at.state === 'connected');
  });

  it('announces the hand-over of a write before its result', async () => {
    const socket = await at.connect();
    const id = socket.call({ class: 'write', tool: 'herdr_fs_write' });
    await until(() => socket.results.has(id));
    const kinds = socket.frames.map(({ header }) => header.kind);
    expect(kinds.indexOf('accepted')).toBeGreaterThan(0);
    expect(kinds.indexOf('accepted')).toBeLessThan(kinds.indexOf('result'));
  });

  it('whose frame names a deadline that no timer can hold costs neither itself nor others anything', async () => {
    verifies('link.malformed', 'link.call-stream');
    const releases: (() => void)[] = [];
    at.runtime.tool = async () => {
      await new Promise<void>((resolve) => releases.push(resolve));
      return text('{}');
    };
    const socket = await at.connect();
    const other = socket.call();
    const id = socket.call({ deadline_ms: 2 ** 40 });
    await until(() => releases.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 3 * REJOIN_FIRST_MS));
    for (const release of releases) release();
    await until(() => socket.results.has(id) && socket.results.has(other));
    expect(at.runtime.arrivals.filter((each) => each === 'call')).toHaveLength(2);
  });

  it('runs beside others on the same socket', async () => {
    let release = (): void => {};
    at.runtime.tool = async ({ args }) => {
      if (args['slow'] === true) await new Promise<void>((resolve) => (release = resolve));
      return text(JSON.stringify(args));
    };
    const socket = await at.connect();
    const slow = socket.call({}, { slow: true });
    const fast = Array.from({ length: 20 }, (_, n) => socket.call({}, { n }));
    await until(() => fast.every((id) => socket.results.has(id)));
    expect(socket.results.has(slow)).toBe(false);
    release();
    await until(() => socket.results.has(slow));
  });

  it('is not run a second time when its frame comes twice', async () => {
    verifies('dispatch.at-most-once');
    let release = (): void => {};
    at.runtime.tool = async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return text('x');
    };
    at.edge.acknowledge = false;
    const socket = await at.connect();
    const id = socket.call({ class: 'write' });
    await until(() => at.runtime.ran.length === 1);
    socket.call({ class: 'write', dispatch_id: id });
    await until(() => socket.of('accepted').length === 2);
    release();
    await until(() => socket.results.has(id));
    socket.call({ class: 'write', dispatch_id: id });
    await until(() => socket.of('result').length === 2);
    expect(at.runtime.ran).toHaveLength(1);
  });
});
