/** Presses one control of the site for the delivery service: once for each id, and says what was seen of it. */
import type { Answer, PressOrder, Reason } from '../messages.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { Clock } from './clock.ts';
import { ARCHIVED_LOOK_MS, OUTCOMES_KEPT, PRESS_LOOK_MS, PRESS_MS } from './limits.ts';

type Pressed = { pressed: boolean; done: boolean; reason: Reason | null };

const nothing = (reason: Reason): Pressed => ({ pressed: false, done: false, reason });

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

  /** Never while an answer is written: what is archived then is out of everybody's sight. */
  async function archive(conversation: string): Promise<Pressed> {
    const { adapter, clock, ended } = parts;
    if (adapter.archive === undefined) return nothing('not_available_yet');
    if (await adapter.archive.done(conversation, ended)) return { pressed: false, done: true, reason: null };
    const streaming = adapter.streaming().found;
    if (streaming !== false) return nothing(streaming === null ? 'page_unreadable' : 'turn_in_progress');
    const entry = await adapter.archive.entry(ended);
    if (entry.found === null) return nothing('page_unreadable');
    adapter.press(entry.found);
    const until = clock.now() + PRESS_MS;
    while (clock.now() < until && !ended.aborted) {
      await clock.pause(ARCHIVED_LOOK_MS);
      if (await adapter.archive.done(conversation, ended)) return { pressed: true, done: true, reason: null };
    }
    return { pressed: true, done: false, reason: 'page_unreadable' };
  }

  return async ({ id, what }: PressOrder, conversation: string): Promise<Answer<Pressed>> => {
    const running = known.get(id) ?? (what === 'stop' ? stop() : archive(conversation));
    known.set(id, running);
    for (const old of [...known.keys()].slice(0, Math.max(0, known.size - OUTCOMES_KEPT))) known.delete(old);
    return { ok: true, value: await running };
  };
}
