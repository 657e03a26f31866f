import type { LifecycleEvent } from '../../contract/herdr/index.ts';
import { signal } from './signal.ts';

/** The last lifecycle events of all kinds together; every new subscriber gets them first, as on a real Herdr. */
export interface EventRing {
  append(event: LifecycleEvent): void;
  /** Gives the events kept so far, oldest first, then every new one until the answer is called. */
  follow(listener: (event: LifecycleEvent) => void): () => void;
}

export function eventRing(capacity: number): EventRing {
  const kept: LifecycleEvent[] = [];
  const appended = signal<LifecycleEvent>();
  return {
    append(event) {
      kept.push(event);
      if (kept.length > capacity) kept.shift();
      appended.emit(event);
    },
    follow(listener) {
      for (const event of [...kept]) listener(event);
      return appended.on(listener);
    },
  };
}
