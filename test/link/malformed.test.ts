import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_BYTES_MAX } from '../../contract/limits.ts';
import { decodeFrame, encodeFrame, type FrameHeader } from '../../contract/link/index.ts';
import { verifies } from '../verifies.ts';
import { at } from './support/each.ts';
import { DEVICE_ID, type FakeSocket, newDispatchId } from './support/fake-edge.ts';
import { until } from './support/workstation.ts';

const id = `d_${'7'.repeat(32)}`;
const headers: FrameHeader[] = [
  { kind: 'welcome', protocol: 2, edge_version: 'x', now_ms: 1, awaited: [id], settled: [], missing: [id] },
  {
    kind: 'call',
    call: {
      dispatch_id: id,
      tool: 'herdr_fs_read',
      class: 'read',
      device_id: DEVICE_ID,
      principal: { kind: 'connector', id: 'c', label: 'l' },
      contract_epoch: 5,
      deadline_ms: 1000,
    },
  },
  { kind: 'ack', dispatch_ids: [id, id] },
  { kind: 'cancel', dispatch_id: id, reason: 'x' },
  { kind: 'settle', dispatch_id: id, runtime_boot_id: 'boot-1' },
  { kind: 'status', query: false, active: 3 },
  { kind: 'drain', reason: 'x' },
  { kind: 'revoke', connector_id: 'conn_1' },
  { kind: 'problem', code: 'malformed', message: 'x', dispatch_id: id },
  { kind: 'hello', protocol: 2, boot_id: 'b', link_version: 'v', holds: [{ dispatch_id: id, state: 'running' }] },
  { kind: 'accepted', dispatch_id: id },
  { kind: 'result', result: { dispatch_id: id, delivery: 'delivered', ok: true, size: 3 }, offset: 0, last: true },
];

/** A frame with one field replaced, dropped or added, at any depth. */
const mutatedHeader = fc
  .record({ header: fc.constantFrom(...headers), at: fc.nat(1000), value: fc.jsonValue(), drop: fc.boolean() })
  .map(({ header, at: where, value, drop }) => {
    const copy = structuredClone(header) as Record<string, unknown>;
    const places: [Record<string, unknown>, string][] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const key of Object.keys(node)) {
        places.push([node as Record<string, unknown>, key]);
        walk((node as Record<string, unknown>)[key]);
      }
    };
    walk(copy);
    const [node, key] = places[where % places.length] as [Record<string, unknown>, string];
    if (drop) delete node[key];
    else node[key] = value;
    return frameOf(copy, new TextEncoder().encode('{"a":1}'));
  });

/** A frame as bytes without any check. */
function frameOf(header: unknown, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(header) ?? '');
  const bytes = new Uint8Array(4 + head.length + payload.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, 4);
  bytes.set(payload, 4 + head.length);
  return bytes;
}

const cut = fc
  .record({ header: fc.constantFrom(...headers), keep: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ header, keep }) => {
    const bytes = encodeFrame(header);
    return bytes.subarray(0, Math.floor(bytes.length * keep));
  });
const flipped = fc
  .record({ header: fc.constantFrom(...headers), where: fc.nat(10_000), byte: fc.integer({ min: 0, max: 255 }) })
  .map(({ header, where, byte }) => {
    const bytes = encodeFrame(header);
    bytes[where % bytes.length] = byte;
    return bytes;
  });
const anyFrame = fc.oneof(mutatedHeader, cut, flipped, fc.uint8Array({ maxLength: 200 }));

/** A round trip that only a living link answers: everything sent before it has been read. */
async function roundTrip(socket: FakeSocket): Promise<void> {
  const before = socket.of('status').length;
  socket.send({ kind: 'status', query: true });
  await until(() => socket.of('status').length > before);
}

describe('frames that cannot be used', () => {
  it('each get an answer, end nothing, and leave the link able to work', async () => {
    verifies('link.malformed', 'contract.frames');
    const socket = await at.connect();
    const fromLinks = new Set(['hello', 'accepted', 'result', 'welcome']);
    await fc.assert(
      fc.asyncProperty(fc.array(anyFrame, { minLength: 20, maxLength: 60 }), async (frames) => {
        const sent = frames.filter((bytes) => {
          const decoded = decodeFrame(bytes);
          return !decoded.ok || decoded.header.kind !== 'refuse';
        });
        const before = socket.of('problem').length;
        for (const bytes of sent) socket.socket.send(bytes);
        await roundTrip(socket);
        const unusable = sent.filter((bytes) => {
          const decoded = decodeFrame(bytes);
          return !decoded.ok || fromLinks.has(decoded.header.kind);
        });
        expect(socket.of('problem').length - before).toBe(unusable.length);
        expect(at.edge.sockets).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
    const call = socket.call();
    await until(() => socket.results.has(call));
    expect(socket.results.get(call)?.envelope.ok).toBe(true);
  });

  it('name their call in the answer when it can be read, so that nobody waits for it', async () => {
    verifies('link.malformed');
    const socket = await at.connect();
    socket.socket.send(frameOf({ kind: 'call', call: { dispatch_id: id, tool: 'herdr_fs_read' } }));
    await until(() => socket.of('problem').length === 1);
    expect(socket.of('problem')[0]).toMatchObject({ code: 'malformed', dispatch_id: id });
    expect(at.runtime.ran).toEqual([]);
  });

  it('of a kind from the future are named and ignored', async () => {
    verifies('link.malformed');
    const socket = await at.connect();
    socket.socket.send(frameOf({ kind: 'telepathy', thought: 1 }));
    await until(() => socket.of('problem').length === 1);
    expect(socket.of('problem')[0]?.code).toBe('unknown_kind');
  });

  it('with a field from the future are served without it', async () => {
    const socket = await at.connect();
    const dispatch = newDispatchId();
    const call = {
      dispatch_id: dispatch,
      tool: 'herdr_fs_read',
      class: 'read',
      device_id: DEVICE_ID,
      principal: { kind: 'connector', id: 'c', label: 'l', mood: 'good' },
      contract_epoch: 5,
      deadline_ms: 5000,
      priority: 7,
    };
    socket.socket.send(frameOf({ kind: 'call', call, hint: true }, new TextEncoder().encode('{}')));
    await until(() => socket.results.has(dispatch));
    expect(socket.results.get(dispatch)?.envelope.ok).toBe(true);
  });

  it('that are too large get an answer, and the socket stays', async () => {
    verifies('link.malformed');
    const socket = await at.connect();
    socket.socket.send(new Uint8Array(FRAME_BYTES_MAX + 1));
    await until(() => socket.of('problem').length === 1);
    expect(socket.of('problem')[0]?.code).toBe('too_large');
    await roundTrip(socket);
    expect(at.edge.sockets).toHaveLength(1);
  });

  it('that are no frames of the WebSocket protocol end that socket, and another follows', async () => {
    const socket = await at.connect();
    (socket.socket as unknown as { _socket: { write(bytes: Uint8Array): void } })._socket.write(
      new Uint8Array([0xff, 0xff, 0xff, 0xff]),
    );
    await until(() => at.edge.sockets.length === 2 && at.state === 'connected');
  });

  it('cut in the middle of a message lose that message only: another socket follows', async () => {
    const socket = await at.connect();
    const raw = (socket.socket as unknown as { _socket: { write(bytes: Uint8Array): void; destroy(): void } })._socket;
    raw.write(new Uint8Array([0x82, 0x7e, 0x10, 0x00, 1, 2, 3]));
    raw.destroy();
    await until(() => at.edge.sockets.length === 2 && at.state === 'connected');
    const call = at.socket().call();
    await until(() => at.socket().results.has(call));
  });
});

describe('frames out of order', () => {
  it('a call before the welcome is refused by name and not run', async () => {
    at.edge.onHello = () => undefined;
    await at.start();
    await until(() => at.edge.latest?.of('hello').length === 1);
    const socket = at.socket();
    const early = socket.call({ class: 'write' });
    await until(() => socket.of('problem').length === 1);
    expect(socket.of('problem')[0]).toMatchObject({ code: 'out_of_order', dispatch_id: early });
    expect(at.runtime.ran).toEqual([]);
  });

  it('acknowledgements and cancels of calls that nobody knows change nothing', async () => {
    const socket = await at.connect();
    socket.send({ kind: 'ack', dispatch_ids: [id] });
    socket.send({ kind: 'cancel', dispatch_id: id });
    await roundTrip(socket);
    expect(socket.of('problem')).toEqual([]);
    expect(at.runtime.cancelled).toEqual([]);
  });

  it('an acknowledgement of a call that still runs does not lose its result', async () => {
    let release = (): void => {};
    at.runtime.tool = async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return new Uint8Array([1]);
    };
    const socket = await at.connect();
    const call = socket.call({ class: 'write' });
    await until(() => at.runtime.ran.length === 1);
    socket.send({ kind: 'ack', dispatch_ids: [call] });
    await roundTrip(socket);
    release();
    await until(() => socket.results.has(call));
  });

  it('a status question is answered with what waits and how long', async () => {
    verifies('dispatch.survives-cut');
    at.edge.acknowledge = false;
    const socket = await at.connect();
    const call = socket.call();
    await until(() => socket.results.has(call));
    await roundTrip(socket);
    expect(socket.of('status')[0]).toMatchObject({ query: false, active: 0, runtime: at.runtime.facts });
    expect(socket.of('status')[0]?.oldest_unacknowledged_ms).toBeGreaterThanOrEqual(0);
  });
});
