/**
 * One event after the other: decide, write down, then do. When the writing fails the event has not happened and nothing
 * is done. What is done reports back as a new event, so that a worker that dies in between finds in its storage what it
 * was about to do, and goes on.
 */
import type { Language } from '../../look/words/index.ts';
import { type Effect, type Event, type Reply, type State, step } from '../machines/worker/index.ts';
import type { Reason } from '../messages.ts';
import { type Area, loadState, saveState } from './store.ts';

export interface LoopParts {
  local: Area;
  session: Area;
  nowMs: () => number;
  language: () => Language;
  /** Begins to do it. Must not throw; what comes of it is given back with {@link Loop.take}. */
  perform: (effect: Effect) => void;
  /** After each change that was written down. */
  changed: (state: State, before: State) => void;
}

export interface Loop {
  take(event: Event): Promise<Reply | { ok: false; reason: Reason }>;
  /** The state as written down, after everything that was taken before. */
  state(): Promise<State>;
}

export function createLoop(parts: LoopParts): Loop {
  const { local, session } = parts;
  let known: State | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(act: (state: State) => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      known ??= await loadState(local, session);
      return act(known);
    });
    last = turn.catch(() => undefined); // the one who asked hears of it; the next one begins anew
    return turn;
  };

  return {
    state: () => inTurn(async (state) => state),
    async take(event) {
      try {
        return await inTurn(async (before) => {
          const { state, effects, reply } = step(before, event, { now: parts.nowMs(), language: parts.language() });
          if (state !== before) await saveState(local, session, before, state);
          known = state;
          if (state !== before) parts.changed(state, before);
          for (const effect of effects) parts.perform(effect);
          return reply;
        });
      } catch (error) {
        console.error('herdr-mcp: the extension’s storage failed; nothing was done', error);
        // What is in the storage now is not known: it is read again.
        known = undefined;
        return { ok: false, reason: 'storage_unavailable' };
      }
    },
  };
}
