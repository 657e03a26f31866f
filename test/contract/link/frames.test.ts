import fc from 'fast-check';
import * as Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, FRAME_BYTES_MAX, HEADER_BYTES_MAX } from '../../../contract/limits.ts';
import {
  decodeFrame,
  encodeFrame,
  FRAME_SCHEMAS,
  type FrameHeader,
  packHead,
  ResultAssembly,
  resultFrames,
  unpackCall,
  unpackResult,
} from '../../../contract/link/index.ts';
import { verifies } from '../../verifies.ts';

const id = `d_${'a'.repeat(32)}`;
const envelope = { dispatch_id: id, delivery: 'delivered' as const, ok: true, size: 0 };
const call = {
  dispatch_id: id,
  tool: 'herdr_git',
  class: 'read' as const,
  device_id: 'dev_1',
  principal: { kind: 'connector' as const, id: 'c', label: 'l' },
  contract_epoch: 5,
  deadline_ms: 10,
};

/** A frame as bytes without any check. */
function raw(header: unknown, payload = new Uint8Array()): Uint8Array {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + head.length + payload.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, 4);
  bytes.set(payload, 4 + head.length);
  return bytes;
}

describe('a frame', () => {
  it('carries any bytes there and back', () => {
    verifies('contract.frames');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string(), (payload, tool) => {
        fc.pre(tool.length <= 64);
        const header: FrameHeader = { kind: 'call', call: { ...call, tool } };
        const decoded = decodeFrame(encodeFrame(header, payload));
        if (!decoded.ok) throw new Error(decoded.message);
        expect(decoded.header).toEqual(header);
        expect(new Uint8Array(decoded.payload)).toEqual(payload);
      }),
    );
  });

  it('that was damaged is a value, never an exception', () => {
    verifies('contract.frames');
    const good = encodeFrame({ kind: 'call', call }, new TextEncoder().encode('{"a":1}'));
    fc.assert(
      fc.property(fc.nat(good.length), fc.uint8Array({ maxLength: 8 }), fc.boolean(), (where, noise, cut) => {
        const bytes = cut ? good.slice(0, where) : good.slice();
        bytes.set(noise.subarray(0, Math.max(0, bytes.length - where)), Math.min(where, bytes.length));
        expect(typeof decodeFrame(bytes).ok).toBe('boolean');
      }),
    );
  });

  it('is bounded, as a whole and in its header', () => {
    const payload = new Uint8Array(FRAME_BYTES_MAX);
    expect(() => encodeFrame({ kind: 'drain', reason: 'x' }, payload)).toThrow(RangeError);
    expect(decodeFrame(payload.subarray(0, 0))).toMatchObject({ ok: false, code: 'malformed' });
    expect(decodeFrame(new Uint8Array(FRAME_BYTES_MAX + 1))).toMatchObject({ ok: false, code: 'too_large' });
    const longHeader = raw({ kind: 'drain', reason: 'x'.repeat(HEADER_BYTES_MAX) });
    expect(decodeFrame(longHeader)).toMatchObject({ ok: false, code: 'malformed' });
  });

  it('of an unknown kind says so, a hidden one too', () => {
    for (const kind of ['telepathy', 'constructor', '__proto__', 'toString']) {
      expect(decodeFrame(raw({ kind }))).toMatchObject({ ok: false, code: 'unknown_kind' });
    }
  });

  it('with fields from the future is read', () => {
    expect(decodeFrame(raw({ kind: 'drain', reason: 'x', until_ms: 5 }))).toMatchObject({ ok: true });
  });

  it.each([
    ['call', { kind: 'call', call: { dispatch_id: id } }],
    ['ack', { kind: 'accepted', dispatch_id: id, kind2: 1, extra: undefined, dispatch: 5 }],
    ['result', { kind: 'result', result: { dispatch_id: id }, offset: 0, last: true }],
  ])('that is broken but names its dispatch is answered for it (%s)', (_, header) => {
    const decoded = decodeFrame(raw(header));
    if (!decoded.ok) expect(decoded.dispatchId).toBe(id);
    else expect(decoded.header.kind).toBe('accepted');
  });

  it('is accepted exactly when its schema accepts it, whatever shortcut was taken', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constant(id), fc.constant('delivered'), fc.nat(), fc.boolean());
    const result = fc.record(
      { dispatch_id: field, delivery: field, ok: field, code: field, size: field, runtime_ms: field, replayed: field },
      { requiredKeys: [] },
    );
    const header = fc.record(
      { kind: fc.constant('result'), result, offset: field, last: field },
      { requiredKeys: ['kind'] },
    );
    fc.assert(
      fc.property(header, (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(decodeFrame(raw(value)).ok).toBe(Value.Check(FRAME_SCHEMAS.result, parsed));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a result in chunks', () => {
  const bodyOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, n) => n % 251);

  it.each([0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES])('of %i bytes comes together again', (size) => {
    verifies('contract.frames');
    const body = bodyOf(size);
    const assembly = new ResultAssembly({ ...envelope, size });
    const states: string[] = [];
    for (const bytes of resultFrames({ ...envelope, size }, body)) {
      expect(bytes.length).toBeLessThanOrEqual(FRAME_BYTES_MAX);
      const decoded = decodeFrame(bytes);
      if (!decoded.ok || decoded.header.kind !== 'result') throw new Error('no result frame');
      states.push(assembly.add(decoded.header.offset, decoded.payload, decoded.header.last));
    }
    expect(states.at(-1)).toBe('done');
    expect(Buffer.compare(assembly.body, body)).toBe(0);
  });

  it('survives repetition and a new beginning, and names a gap', () => {
    const assembly = new ResultAssembly({ ...envelope, size: 6 });
    const piece = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
    expect(assembly.add(0, piece(1, 2), false)).toBe('more');
    expect(assembly.add(4, piece(5, 6), true)).toBe('gap');
    expect(assembly.add(0, piece(1, 2), false)).toBe('more');
    expect(assembly.add(2, piece(3, 4), false)).toBe('more');
    expect(assembly.add(4, piece(5, 6, 7), true)).toBe('gap');
    expect(assembly.add(4, piece(5, 6), true)).toBe('done');
    expect([...assembly.body]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('that ends early is a gap', () => {
    expect(new ResultAssembly({ ...envelope, size: 6 }).add(0, new Uint8Array(2), true)).toBe('gap');
  });
});

describe('the packed layout', () => {
  it('carries an envelope and any bytes, and refuses what is broken', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (body) => {
        const packed = Buffer.concat([packHead(call), body]);
        const unpacked = unpackCall(packed);
        if (!unpacked.ok) throw new Error(unpacked.message);
        expect(unpacked.envelope).toEqual(call);
        expect(Buffer.compare(Buffer.from(unpacked.body), Buffer.from(body))).toBe(0);
        expect(unpackResult(packed).ok).toBe(false);
      }),
    );
    for (const bytes of [new Uint8Array(), new Uint8Array([0, 0, 0, 9, 1]), new Uint8Array([0, 0, 0, 1, 0x7b])]) {
      expect(unpackCall(bytes).ok).toBe(false);
    }
  });
});
