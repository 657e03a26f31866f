import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox, type Wire } from '../../local/outbox/index.ts';
import { verifies } from '../verifies.ts';

/** A wire whose bytes leave only when the test says so. */
class SlowWire implements Wire {
  readonly sent: string[] = [];
  readonly #waiting: { size: number; done: () => void }[] = [];

  send(bytes: Uint8Array, done: () => void): void {
    this.sent.push(new TextDecoder().decode(bytes.subarray(0, 8)).replaceAll('\0', ''));
    this.#waiting.push({ size: bytes.length, done });
  }

  get buffered(): number {
    return this.#waiting.reduce((sum, { size }) => sum + size, 0);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The operating system takes the oldest frame. */
  take(): boolean {
    const first = this.#waiting.shift();
    first?.done();
    return first !== undefined;
  }
}

function frame(name: string, size = 512 * 1024): Uint8Array {
  const bytes = new Uint8Array(size);
  new TextEncoder().encodeInto(name, bytes);
  return bytes;
}

function* frames(name: string, count: number): Generator<Uint8Array> {
  for (let n = 0; n < count; n += 1) yield frame(`${name}${n}`);
}

describe('the order of frames', () => {
  it('never has more than one chunk ahead of a small frame', () => {
    verifies('link.fairness');
    const wire = new SlowWire();
    const outbox = new Outbox(wire);
    outbox.inTurn('a', frames('a', 8));
    outbox.inTurn('b', frames('b', 8));
    outbox.now(frame('small', 100));
    expect(wire.sent).toEqual(['a0', 'small']);
  });

  it('says so when the last frame has left', () => {
    verifies('link.call-stream');
    const wire = new SlowWire();
    const empty: boolean[] = [];
    const outbox: Outbox = new Outbox(wire, () => empty.push(outbox.empty));
    outbox.inTurn('a', frames('a', 2));
    while (wire.take());
    expect(empty).toEqual([false, true]);
  });

  it('gives each large result its turn', () => {
    verifies('link.fairness');
    const wire = new SlowWire();
    const outbox = new Outbox(wire);
    outbox.inTurn('a', frames('a', 3));
    outbox.inTurn('b', frames('b', 2));
    outbox.inTurn('c', frames('c', 1));
    while (wire.take());
    expect(wire.sent).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2']);
  });

  it('sends everything, in order within each result, with at most one chunk waiting', () => {
    const work = fc.array(
      fc.record({ chunks: fc.integer({ min: 1, max: 6 }), small: fc.boolean(), takes: fc.nat(4) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(work, (steps) => {
        const wire = new SlowWire();
        const outbox = new Outbox(wire);
        const expected: string[] = [];
        for (const [index, { chunks, small, takes }] of steps.entries()) {
          const name = String.fromCharCode(97 + index);
          if (small) outbox.now(frame(`${name}!`, 10));
          outbox.inTurn(name, frames(name, chunks));
          expected.push(...(small ? [`${name}!`] : []), ...Array.from({ length: chunks }, (_, n) => `${name}${n}`));
          expect(wire.buffered).toBeLessThanOrEqual(512 * 1024 + 64 * 1024);
          for (let n = 0; n < takes; n += 1) wire.take();
        }
        while (wire.take());
        expect([...wire.sent].sort()).toEqual([...expected].sort());
        for (const [index] of steps.entries()) {
          const name = String.fromCharCode(97 + index);
          const own = wire.sent.filter((each) => each.startsWith(name) && !each.endsWith('!'));
          expect(own).toEqual([...own].sort());
        }
      }),
    );
  });

  it('begins a result anew when it is put in turn again, and drops what is acknowledged', () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire);
    outbox.inTurn('a', frames('a', 3));
    wire.take();
    outbox.inTurn('a', frames('again', 2));
    outbox.drop('a');
    while (wire.take());
    expect(wire.sent).toEqual(['a0', 'a1']);
    expect(outbox.has('a')).toBe(false);
  });

  it('sends nothing after it was closed', () => {
    const wire = new SlowWire();
    const outbox = new Outbox(wire);
    outbox.inTurn('a', frames('a', 3));
    outbox.close();
    outbox.now(frame('late', 10));
    while (wire.take());
    expect(wire.sent).toEqual(['a0']);
  });
});
