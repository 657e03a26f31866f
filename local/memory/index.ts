/**
 * Gives memory back after a burst. V8 collects while it allocates and not when it idles, so a link or a runtime that had some
 * large results would hold what they needed for the weeks in which nothing happens (bench/README.md, P13).
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { IDLE_LOOK_MS } from '../limits.ts';

export interface Work {
  /** Calls that run or wait. */
  active: number;
  /** Calls taken so far. */
  taken: number;
}

/** Whether to collect at this look: calls came since the last collection, and none since the last look. Pure. */
export function isTime(work: Work, lastLook: Work, takenAtCollection: number): boolean {
  return work.active === 0 && work.taken === lastLook.taken && work.taken > takenAtCollection;
}

/**
 * Looks now and then, without keeping the process; returns what ends it. `collect` is the full collection; V8's own is made
 * when it is first needed, and not at every start.
 */
export function collectWhenIdle(work: () => Work, collect?: () => void): () => void {
  let full = collect;
  let last = work();
  let collectedAt = last.taken;
  const timer = setInterval(() => {
    const now = work();
    if (isTime(now, last, collectedAt)) {
      full ??= fullCollection();
      full();
      collectedAt = now.taken;
    }
    last = now;
  }, IDLE_LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** V8's own, which a context that is made after the flag was set has as a global. It takes some ten ms of an idle process. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => undefined; // another engine: nothing is lost but the saving
  return () => void collect({ type: 'major', flavor: 'last-resort' });
}
