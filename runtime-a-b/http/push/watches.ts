/**
 * Which panes are looked at, and which of them have to be read now. Pure: who works is read often, who rests seldom, and
 * never more at once than Herdr answers beside its own work.
 */
import { WATCH_MS } from '../../../contract/control/index.ts';
import { LINE_IDLE_MS, LINE_READS_AT_ONCE, LINE_WORKING_MS, WATCHERS_MAX } from '../../limits.ts';

export interface Watch {
  panes: readonly string[];
  until: number;
}

export type Watches = ReadonlyMap<string, Watch>;

/** A clock that was put back makes no watch longer: whoever still looks renews it. */
export const lasts = ({ until }: Watch, now: number): boolean => until > now && until - now <= WATCH_MS;

/** A watcher replaces its own list; an empty one ends it. Beyond the bound the oldest goes. */
export function watched(before: Watches, watcher: string, panes: readonly string[], now: number): Watches {
  const next = new Map([...before].filter(([name, watch]) => name !== watcher && lasts(watch, now)));
  if (panes.length > 0) next.set(watcher, { panes, until: now + WATCH_MS });
  return new Map([...next].slice(-WATCHERS_MAX));
}

export interface Read {
  at: number;
  /** What was true of the pane then: when that has changed it is read at once. */
  mark: string;
}

export interface Pane {
  id: string;
  working: boolean;
  /** Changes whenever there is reason to look again. */
  mark: string;
}

/** The panes to read now, those that have waited longest first. */
export function due(
  watches: Watches,
  panes: ReadonlyMap<string, Pane>,
  reads: ReadonlyMap<string, Read>,
  now: number,
): Pane[] {
  const wanted = new Set([...watches.values()].filter((watch) => lasts(watch, now)).flatMap((one) => one.panes));
  return [...wanted]
    .flatMap((id) => panes.get(id) ?? [])
    .filter(({ id, working, mark }) => {
      const read = reads.get(id);
      if (read === undefined || read.mark !== mark) return true;
      return Math.abs(now - read.at) >= (working ? LINE_WORKING_MS : LINE_IDLE_MS);
    })
    .sort((a, b) => (reads.get(a.id)?.at ?? 0) - (reads.get(b.id)?.at ?? 0))
    .slice(0, LINE_READS_AT_ONCE);
}
