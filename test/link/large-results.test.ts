import { beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES, RESULT_BYTES_MAX } from '../../contract/limits.ts';
import { REJOIN_FIRST_MS } from '../../link/limits.ts';
import { verifies } from '../verifies.ts';
import { at } from './support/each.ts';
import { text } from './support/fake-runtime.ts';
import { until } from './support/workstation.ts';

beforeEach(() => {
  at.runtime.tool = async ({ args }) => {
    const bytes = new Uint8Array(Number(args['bytes']));
    for (let n = 0; n < bytes.length; n += 4096) bytes[n] = n / 4096;
    return bytes;
  };
});

describe('a large result', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, RESULT_BYTES_MAX])(
    'of %i bytes arrives whole',
    async (bytes) => {
      verifies('link.large-results');
      const socket = await at.connect();
      const id = socket.call({}, { bytes });
      await until(() => socket.results.has(id));
      const body = socket.results.get(id)?.body ?? new Uint8Array(1);
      expect(body.length).toBe(bytes);
      expect(body.every((byte, n) => byte === (n % 4096 === 0 ? (n / 4096) % 256 : 0))).toBe(true);
      expect(socket.of('result')).toHaveLength(Math.max(1, Math.ceil(bytes / CHUNK_BYTES)));
    },
  );

  it('of one byte more than the largest fails alone, on a link that stays up', async () => {
    verifies('link.large-results');
    const socket = await at.connect();
    const id = socket.call({ class: 'write' }, { bytes: RESULT_BYTES_MAX + 1 });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({
      code: 'response_too_large',
      delivery: 'delivered',
      ok: false,
    });
    const small = socket.call({}, { bytes: 10 });
    await until(() => socket.results.has(small));
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('far above it is not even read', async () => {
    const socket = await at.connect();
    at.runtime.interceptCall = () => {
      const head = new Uint8Array(16);
      const view = new DataView(head.buffer);
      view.setUint16(4, 200);
      view.setUint32(8, 1024 * 1024 * 1024);
      view.setUint32(12, 64 * 1024);
      return [head];
    };
    const id = socket.call({ class: 'write' });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({ code: 'response_too_large', delivery: 'unknown' });
  });

  it('beside others is bounded in sum: what does not fit waits for room, small ones do not', async () => {
    verifies('link.large-results', 'link.fairness');
    at.edge.acknowledge = false;
    const socket = await at.connect();
    const two = [socket.call({}, { bytes: RESULT_BYTES_MAX }), socket.call({}, { bytes: RESULT_BYTES_MAX })];
    await until(() => two.every((id) => socket.results.has(id)));
    expect(two.map((id) => socket.results.get(id)?.envelope.ok)).toEqual([true, true]);
    const calls = () => at.runtime.arrivals.filter((each) => each === 'call').length;
    const third = socket.call({}, { bytes: RESULT_BYTES_MAX });
    await until(() => at.runtime.ran.length === 3);
    const small = socket.call({}, { bytes: 1000 });
    await until(() => socket.results.has(small));
    // Asking again would have all of it sent again, to be dropped again.
    await new Promise((resolve) => setTimeout(resolve, 3 * REJOIN_FIRST_MS));
    expect(calls()).toBe(4);
    expect(socket.results.has(third)).toBe(false);
    socket.acknowledgeAll();
    await until(() => socket.results.has(third));
    expect(calls()).toBe(5);
    expect(socket.results.get(third)?.envelope).toMatchObject({ ok: true, size: RESULT_BYTES_MAX });
    expect(at.runtime.ran).toHaveLength(4);
  });

  it('for which no room comes in time fails alone', async () => {
    verifies('link.large-results');
    at.edge.acknowledge = false;
    const socket = await at.connect();
    const two = [socket.call({}, { bytes: RESULT_BYTES_MAX }), socket.call({}, { bytes: RESULT_BYTES_MAX })];
    await until(() => two.every((id) => socket.results.has(id)));
    const third = socket.call({ class: 'write', deadline_ms: 300 }, { bytes: RESULT_BYTES_MAX });
    await until(() => socket.results.has(third));
    expect(socket.results.get(third)?.envelope).toMatchObject({ code: 'response_too_large', delivery: 'delivered' });
  });

  it('does not hold up small ones: they overtake it', async () => {
    verifies('link.fairness');
    const socket = await at.connect();
    const large = socket.call({}, { bytes: RESULT_BYTES_MAX });
    await until(() => socket.of('result').length >= 1);
    socket.socket.pause();
    const small = socket.call({}, { bytes: 10 });
    await until(() => at.runtime.ran.length === 2);
    socket.socket.resume();
    await until(() => socket.results.has(large) && socket.results.has(small));
    const order = socket.of('result').map(({ result }) => result.dispatch_id);
    expect(order.indexOf(small)).toBeLessThan(order.lastIndexOf(large));
  });

  it('that was cut in the middle is sent again from its beginning on the next socket', async () => {
    verifies('dispatch.survives-cut');
    const before = await at.connect();
    const id = before.call({}, { bytes: RESULT_BYTES_MAX });
    await until(() => before.of('result').length >= 2);
    at.edge.onHello = (hello) => at.edge.welcome(hello, { awaited: [id] });
    at.edge.cut();
    await until(() => at.edge.sockets.length === 2 && at.socket().results.has(id));
    expect(before.results.has(id)).toBe(false);
    expect(at.socket().of('result')[0]?.offset).toBe(0);
    expect(at.runtime.ran).toHaveLength(1);
  });

  it('with a gap is sent again when the edge says so, and not for ever', async () => {
    at.edge.acknowledge = false;
    const socket = await at.connect();
    const id = socket.call({}, { bytes: 10 });
    await until(() => socket.of('result').length === 1);
    for (let n = 2; n <= 3; n += 1) {
      socket.send({ kind: 'problem', code: 'out_of_order', message: 'a gap', dispatch_id: id });
      await until(() => socket.of('result').length === n);
    }
    socket.send({ kind: 'problem', code: 'out_of_order', message: 'a gap', dispatch_id: id });
    const other = socket.call({}, { bytes: 11 });
    await until(() => socket.results.has(other));
    expect(socket.of('result').filter(({ result }) => result.dispatch_id === id)).toHaveLength(3);
  });

  it('keeps the bytes of a failed tool as they are', async () => {
    at.runtime.tool = async () => ({ ok: false, code: 'not_found', body: text('no such file') });
    const socket = await at.connect();
    const id = socket.call();
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)).toMatchObject({
      envelope: { ok: false, code: 'not_found', delivery: 'delivered' },
      body: text('no such file'),
    });
  });
});
