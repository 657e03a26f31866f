/**
 * A service worker that may end between any two steps, and a page that may: storage outlives both, what had left the worker
 * still happens, and who speaks to a worker that has gone speaks to the next one. The tables' worlds are built on it.
 */
import { createLoop, type Loop } from '../../extension/background/loop.ts';
import type { Area } from '../../extension/background/store.ts';
import type { Effect, Event, State } from '../../extension/machines/worker/index.ts';

/** Whoever acts has ended meanwhile: what was left to do stays undone. */
class Stopped extends Error {}

/** The lives that an act belongs to: it goes no further than they do. */
export interface Mine {
  life?: number;
  generation?: number;
}

export interface MortalParts {
  nowMs(): number;
  /** Who ends at this step, counted from 1; null: nobody. */
  endsAt(step: number): 'worker' | 'page' | null;
  /** The storage refuses the write of this step. Absent: it never does. */
  failsAt?(step: number): boolean;
  perform(effect: Effect, life: number): Promise<unknown>;
  /** After each change that was written down. Absent: nobody wants to know. */
  changed?(state: State, before: State): void;
  /** What a worker that has just started hears. */
  started(loop: Loop): Promise<unknown>;
  /** The page's life, and its end. Absent: no page ends by itself. */
  page?: { generation(): number; load(): void };
}

export function mortalWorker(parts: MortalParts) {
  const stored = { local: new Map<string, string>(), session: new Map<string, string>() };
  const running = new Set<Promise<unknown>>();
  let [steps, life] = [0, 0];

  /** A point between two steps: here either side may be made to end. */
  async function point(mine: Mine): Promise<void> {
    if (mine.life !== undefined && mine.life !== life) throw new Stopped();
    if (mine.generation !== undefined && mine.generation !== parts.page?.generation()) throw new Stopped();
    steps += 1;
    const who = parts.endsAt(steps);
    if (who === 'worker') {
      restart();
      if (mine.life !== undefined) throw new Stopped();
    } else if (who === 'page') {
      parts.page?.load();
      if (mine.generation !== undefined) throw new Stopped();
    }
  }

  const area = (name: 'local' | 'session', mine: number): Area => ({
    get: async (keys) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const found = stored[name].get(key);
          return found === undefined ? [] : [[key, JSON.parse(found)]];
        }),
      ),
    async set(items) {
      await point({ life: mine });
      if (parts.failsAt?.(steps)) throw new Error('the disk is full');
      for (const [key, value] of Object.entries(items)) stored[name].set(key, JSON.stringify(value));
      await point({ life: mine });
    },
  });

  let loop: Loop = begin();
  function begin(): Loop {
    life += 1;
    const mine = life;
    return createLoop({
      local: area('local', mine),
      session: area('session', mine),
      nowMs: parts.nowMs,
      language: () => 'en',
      changed: (state, before) => parts.changed?.(state, before),
      perform: (effect) => background(parts.perform(effect, mine)),
    });
  }

  function restart(): void {
    loop = begin();
    background(parts.started(loop));
  }

  function background(work: Promise<unknown>): void {
    const kept = work.catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error;
    });
    running.add(kept);
    void kept.finally(() => running.delete(kept));
  }

  return {
    point,
    restart,
    background,
    steps: () => steps,
    /** Counts the workers so far. */
    life: () => life,
    loop: () => loop,
    /** As when the browser is closed. */
    forgetSession: () => stored.session.clear(),
    /** Said until a worker has answered; the one that was spoken to may have died. */
    async tell(event: Event) {
      for (;;) {
        const reply = await loop.take(event);
        if (reply.ok || reply.reason !== 'storage_unavailable') return reply;
      }
    },
    /** Resolves when nothing is under way any more. */
    async settle(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
