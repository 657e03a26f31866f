/** Counts how heavy this page is: what changes in it, how late our timers are, its long tasks and its heap. */
import type { PageEvidence } from '../health.ts';
import { type Counted, heapLevel, NOTHING_COUNTED, uiLevel, WINDOW_MS } from '../machines/recovery/index.ts';

export interface Meter {
  /** The page's mutation observer was called. */
  mutated(): void;
  /** `ms`: since the last look; `lateMs`: how much later this one came than it was set for. */
  look(ms: number, lateMs: number): void;
  read(): Pick<PageEvidence, 'ui' | 'heap'>;
}

export function createMeter(ended: AbortSignal): Meter {
  let counted: Counted = NOTHING_COUNTED;
  let ui: PageEvidence['ui'] = { level: 'unknown', forMs: 0 };
  let wasVisible = false;
  let latest = 0;
  let heap: PageEvidence['heap'] = { level: 'unknown', forMs: 0 };

  const observer = new PerformanceObserver((list) => {
    const tasks = list.getEntries();
    const longest = Math.max(counted.longestTaskMs, ...tasks.map(({ duration }) => duration));
    counted = { ...counted, longTasks: counted.longTasks + tasks.length, longestTaskMs: longest };
  });
  observer.observe({ type: 'longtask' });
  ended.addEventListener('abort', () => observer.disconnect(), { once: true });

  return {
    mutated() {
      counted = { ...counted, mutations: counted.mutations + 1 };
    },
    look(ms, lateMs) {
      const visible = document.visibilityState === 'visible';
      const watched = visible && wasVisible && lateMs < WINDOW_MS;
      wasVisible = visible;
      if (!watched) {
        // A browser holds the timers of a hidden page back, and those of a computer that sleeps: the rates say nothing.
        counted = NOTHING_COUNTED;
        latest = 0;
        ui = { level: 'unknown', forMs: 0 };
      } else {
        // The second latest: one spike is none.
        const driftMs = Math.max(counted.driftMs, Math.min(latest, lateMs));
        latest = Math.max(latest, lateMs);
        counted = { ...counted, ms: counted.ms + ms, looks: counted.looks + 1, driftMs };
        const level = uiLevel(counted);
        // A new window knows nothing yet: until it does, the last one holds.
        ui = kept(ui, level === 'unknown' ? ui.level : level, ms);
        if (counted.ms >= WINDOW_MS) {
          counted = NOTHING_COUNTED;
          latest = 0;
        }
      }
      heap = kept(heap, heapLevel(memory()), ms);
    },
    read: () => ({ ui, heap }),
  };
}

function kept<L>(before: { level: L; forMs: number }, level: L, ms: number): { level: L; forMs: number } {
  return { level, forMs: level === before.level ? before.forMs + ms : 0 };
}

/** Chromium's own figure; other browsers give none. */
function memory(): { used: number; limit: number } | null {
  const given: unknown = Reflect.get(performance, 'memory');
  if (typeof given !== 'object' || given === null) return null;
  const used: unknown = Reflect.get(given, 'usedJSHeapSize');
  const limit: unknown = Reflect.get(given, 'jsHeapSizeLimit');
  return typeof used === 'number' && typeof limit === 'number' ? { used, limit } : null;
}
