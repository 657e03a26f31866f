/** The last events of this boot, each with its cursor. Time comes in as an argument. */
import { EVENT_RING, EVENTS_AT_ZERO } from '../limits.ts';
import type { Change } from './changes.ts';

export interface RingEvent {
  /** Grows by one per event from 1; starts again with each boot of the runtime. */
  cursor: number;
  /** When we noticed it, in ms since 1970. */
  at: number;
  change: Change;
}

export interface RingPage {
  events: RingEvent[];
  /** Give this next time. */
  cursor: number;
  /** True when events after the asked cursor have already been dropped: look at the state instead. */
  gap: boolean;
  /** True when the asked cursor lies ahead of this boot's: it belongs to an earlier one. */
  ahead: boolean;
}

export class EventRing {
  #events: RingEvent[] = [];
  #cursor = 0;

  get cursor(): number {
    return this.#cursor;
  }

  /** Adds events in order. A repeated update of the same pane replaces the one before it: only the last one counts. */
  push(changes: readonly Change[], at: number): void {
    for (const change of changes) {
      const last = this.#events.at(-1);
      if (last && isSameUpdate(last.change, change)) this.#events.pop();
      this.#cursor += 1;
      this.#events.push({ cursor: this.#cursor, at, change });
    }
    // Trimmed in blocks: cutting the array at every event would copy it each time.
    if (this.#events.length > EVENT_RING * 2) this.#events = this.#events.slice(-EVENT_RING);
  }

  /** Events after a cursor, oldest first; cursor 0 gives the latest {@link EVENTS_AT_ZERO}. */
  since(cursor: number, matches: (change: Change) => boolean = () => true): RingPage {
    const kept = this.#events.slice(-EVENT_RING);
    const ahead = cursor > this.#cursor;
    const fresh =
      cursor === 0 || ahead
        ? kept.filter((event) => matches(event.change)).slice(-EVENTS_AT_ZERO)
        : kept.filter((event) => event.cursor > cursor && matches(event.change));
    const oldest = kept[0]?.cursor ?? this.#cursor + 1;
    const gap = cursor > 0 && !ahead && this.#events.length >= EVENT_RING && oldest > cursor + 1;
    return { events: fresh, cursor: this.#cursor, gap, ahead };
  }
}

function isSameUpdate(a: Change, b: Change): boolean {
  return a.type === 'pane_updated' && b.type === 'pane_updated' && a.pane_id === b.pane_id;
}
