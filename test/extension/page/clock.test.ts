/** Time in a hidden page, where a browser runs timers that set each other off once a minute. */
import { afterEach, expect, it, vi } from 'vitest';
import { createClock } from '../../../extension/content/clock.ts';
import { verifies } from '../../verifies.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Counts the timers that are set in the task of another one, which is what a browser holds back in a hidden page. */
function watchTimers(): { chained: () => number } {
  const real = globalThis.setTimeout;
  let inTimer = false;
  let chained = 0;
  const later = () => {
    inTimer = false;
  };
  vi.stubGlobal('setTimeout', (act: () => void, ms?: number) => {
    if (inTimer) chained += 1;
    return real(() => {
      inTimer = true;
      act();
      // Behind all that the timer's task sets off by promises.
      queueMicrotask(() => process.nextTick(later));
    }, ms);
  });
  return { chained: () => chained };
}

it('a page that nobody looks at is watched on: no timer is set off by another timer', async () => {
  verifies('extension.hidden-tab');
  const timers = watchTimers();
  const ended = new AbortController();
  const clock = createClock(ended.signal);
  let looks = 0;
  await new Promise<void>((resolve) => {
    clock.every(1, async () => {
      looks += 1;
      await clock.pause(1);
      if (looks === 20) resolve();
    });
  });
  ended.abort();
  expect(timers.chained()).toBe(0);
});

it('and would be seen to be', async () => {
  const timers = watchTimers();
  const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
  for (let at = 0; at < 5; at += 1) await pause();
  expect(timers.chained()).toBe(4);
});
