import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IDLE_LOOK_MS } from '../../local/limits.ts';
import { collectWhenIdle, isTime, type Work } from '../../local/memory/index.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['nothing was ever taken', { active: 0, taken: 0 }, { active: 0, taken: 0 }, 0, false],
  ['calls still come', { active: 0, taken: 9 }, { active: 0, taken: 8 }, 0, false],
  ['one still runs', { active: 1, taken: 9 }, { active: 1, taken: 9 }, 0, false],
  ['it has been quiet since the last look', { active: 0, taken: 9 }, { active: 0, taken: 9 }, 0, true],
  ['it was collected since', { active: 0, taken: 9 }, { active: 0, taken: 9 }, 9, false],
])('%s', (_, now, last, collectedAt, expected) => {
  expect(isTime(now, last, collectedAt)).toBe(expected);
});

it('collects once after each burst, and never while it idles on', () => {
  const work: Work = { active: 0, taken: 0 };
  const collect = vi.fn();
  const stop = collectWhenIdle(() => ({ ...work }), collect);
  vi.advanceTimersByTime(10 * IDLE_LOOK_MS);
  expect(collect).not.toHaveBeenCalled();
  for (let burst = 1; burst <= 3; burst++) {
    work.taken += 100;
    vi.advanceTimersByTime(10 * IDLE_LOOK_MS);
    expect(collect).toHaveBeenCalledTimes(burst);
  }
  stop();
  work.taken += 1;
  vi.advanceTimersByTime(10 * IDLE_LOOK_MS);
  expect(collect).toHaveBeenCalledTimes(3);
});
