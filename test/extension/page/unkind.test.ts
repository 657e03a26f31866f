/** The page script's own loops on a page that breaks and with a worker that fails. */
import { describe, expect, test, vi } from 'vitest';
import { createClock } from '../../../extension/content/clock.ts';
import { createDeliveries } from '../../../extension/content/deliveries.ts';
import type { Answer, DeliveryOutcome } from '../../../extension/messages.ts';

describe('the page script', () => {
  test('looks again after a look that failed', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ended = new AbortController();
    let looks = 0;
    await new Promise<void>((resolve) => {
      createClock(ended.signal).every(1, () => {
        looks += 1;
        if (looks === 1) throw new Error('the page has changed its DOM');
        resolve();
      });
    });
    ended.abort();
    expect(looks).toBeGreaterThan(1);
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  });

  test('tells an outcome until a worker has written it down, and runs an attempt once', async () => {
    const ended = new AbortController();
    const answers: Answer<null>[] = [
      { ok: false, reason: 'worker_unavailable' },
      { ok: false, reason: 'storage_unavailable' },
      { ok: true, value: null },
    ];
    const told: DeliveryOutcome[] = [];
    let ran = 0;
    let heard: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const deliveries = createDeliveries({
      clock: { now: () => 0, pause: () => Promise.resolve(), every: () => undefined },
      ended: ended.signal,
      run: () => {
        ran += 1;
        return Promise.resolve({ state: 'sent', messageId: 'm1', url: '' });
      },
      behind: () => {
        throw new Error('nothing was behind');
      },
      tell: (_id, _attempt, outcome) => {
        told.push(outcome);
        const answer = answers.shift() ?? { ok: true, value: null };
        if (answer.ok) heard();
        return Promise.resolve(answer);
      },
    });
    const order = { id: 'd1', attempt: 1, kind: 'settled', text: 'words', waitMs: 0, connector: null } as const;
    expect(deliveries.take('c', order)).toEqual({ ok: true, value: null });
    expect(deliveries.take('c', order)).toEqual({ ok: true, value: null });
    await over;
    ended.abort();
    expect(told).toHaveLength(3);
    expect(ran).toBe(1);
  });
});
