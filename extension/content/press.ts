/** Presses one control of the site for the delivery service: once for each id, and says what was seen of it. */
import type { Answer, PressOrder, Reason } from '../messages.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';
import { OUTCOMES_KEPT, PRESS_LOOK_MS, PRESS_MS } from './limits.ts';

type Pressed = { pressed: boolean; done: boolean; reason: Reason | null };

export function createPresses(parts: { adapter: SiteAdapter; clock: Clock; ended: AbortSignal }) {
  const known = new Map<string, Promise<Pressed>>();

  async function stop(): Promise<Pressed> {
    const { adapter, clock, ended } = parts;
    const control = adapter.stop().found;
    if (control === null) {
      const streaming = adapter.streaming().found;
      // Nothing is written: what was to be stopped has ended by itself.
      if (streaming === false) return { pressed: false, done: true, reason: null };
      return { pressed: false, done: false, reason: 'page_unreadable' };
    }
    adapter.press(control);
    const until = clock.now() + PRESS_MS;
    while (clock.now() < until && !ended.aborted) {
      if (adapter.streaming().found === false) return { pressed: true, done: true, reason: null };
      await clock.pause(PRESS_LOOK_MS);
    }
    return { pressed: true, done: false, reason: 'turn_in_progress' };
  }

  return async ({ id }: PressOrder): Promise<Answer<Pressed>> => {
    const running = known.get(id) ?? stop();
    known.set(id, running);
    for (const old of [...known.keys()].slice(0, Math.max(0, known.size - OUTCOMES_KEPT))) known.delete(old);
    return { ok: true, value: await running };
  };
}
