/** How heavy a page is, from counters of a window: O(1), whatever the page does (reference/extension.md 4.10). Pure. */
import type { PageEvidence } from '../../health.ts';
import {
  DRIFT_MS,
  HEAP_BYTES,
  HEAP_RATIO,
  LONG_TASK_MS,
  LONG_TASKS,
  LOOKS,
  MUTATIONS,
  UI_SAMPLE_MS,
} from './limits.ts';

/** What was counted since the window began. */
export interface Counted {
  /** How long the window is open, in a page that was visible all the while. */
  ms: number;
  mutations: number;
  looks: number;
  /** How late the second latest of our timers was. */
  driftMs: number;
  longTasks: number;
  longestTaskMs: number;
}

export const NOTHING_COUNTED: Counted = { ms: 0, mutations: 0, looks: 0, driftMs: 0, longTasks: 0, longestTaskMs: 0 };

type Level = 'ok' | 'warning' | 'high';

/** The worst of the rates decides; long tasks only ever warn. */
export function uiLevel(counted: Counted): PageEvidence['ui']['level'] {
  if (counted.ms < UI_SAMPLE_MS) return 'unknown';
  const aMinute = (count: number) => (count * 60_000) / counted.ms;
  const drift = counted.driftMs < DRIFT_MS.ignored ? 0 : counted.driftMs;
  const levels = [
    levelOf(aMinute(counted.mutations), MUTATIONS),
    levelOf(aMinute(counted.looks), LOOKS),
    levelOf(drift, DRIFT_MS),
  ];
  if (levels.includes('high')) return 'high';
  const severe = counted.longestTaskMs >= LONG_TASK_MS || counted.longTasks >= LONG_TASKS;
  return severe || levels.includes('warning') ? 'warning' : 'ok';
}

/** `unknown` where the browser does not say. */
export function heapLevel(memory: { used: number; limit: number } | null): PageEvidence['heap']['level'] {
  if (memory === null || !(memory.used > 0) || !(memory.limit > 0)) return 'unknown';
  const ratio = memory.used / memory.limit;
  if (memory.used >= HEAP_BYTES.critical || ratio >= HEAP_RATIO.critical) return 'critical';
  return memory.used >= HEAP_BYTES.warning || ratio >= HEAP_RATIO.warning ? 'warning' : 'ok';
}

const levelOf = (value: number, { warning, high }: { warning: number; high: number }): Level =>
  value >= high ? 'high' : value >= warning ? 'warning' : 'ok';
