/** A runtime in this process whose clock for regular things is turned by hand, and what V8 holds for young objects. */
import { getHeapSpaceStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IDLE_LOOK_MS } from '../../local/limits.ts';
import { verifies } from '../verifies.ts';
import { type TestRuntime, testRuntime } from './support/index.ts';

let at: TestRuntime;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  at = await testRuntime();
});
afterEach(async () => {
  await at.end();
  vi.useRealTimers();
});

/** Bytes of memory behind V8's young generation, used or not. */
function young(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.physical_space_size ?? 0;
}

/** 16 MB that are alive together, so that the young generation grows, and then none of them. */
function burst(): void {
  const alive = Array.from({ length: 8_000 }, (_, n) => new Array(256).fill(n));
  expect(alive).toHaveLength(8_000);
}

it('gives memory back when calls have ceased, and only then', async () => {
  verifies('bench.soak');
  burst();
  const before = young();
  vi.advanceTimersByTime(3 * IDLE_LOOK_MS);
  expect(young()).toBeGreaterThan(before / 2);
  await at.call('herdr_methods');
  vi.advanceTimersByTime(3 * IDLE_LOOK_MS);
  expect(young()).toBeLessThan(before / 2);
});
