/** What is remembered of children: their processes, how they ended, and when they are started again. Pure. */
import { RESTART_FIRST_MS, RESTART_MAX_MS, STABLE_MS } from '../limits.ts';
import type { ChildName, Observed, ObservedChild } from '../observed.ts';
import type { Ending } from './children.ts';
import { childOf } from './steps.ts';
import { runtimeOf } from './view.ts';

/** A child with its process, which is about to be let go on. */
export function withChild(
  observed: Observed,
  name: ChildName,
  revision: string,
  process: NonNullable<ObservedChild['process']>,
  nowMs: number,
): Observed {
  const before = childOf(observed, name);
  const kept = before?.revision === revision ? before : { failures: 0 };
  const { failures, last_end } = { last_end: undefined, ...kept };
  return put(observed, {
    name,
    revision,
    process,
    started_at_ms: nowMs,
    failures,
    ...(last_end === undefined ? {} : { last_end }),
  });
}

/** One that was asked to end is only without a process; one that ended by itself waits longer each time. */
export function afterEnding(
  observed: Observed,
  { name, asked, why }: Ending,
  nowMs: number,
  revision?: string,
): Observed {
  const before = childOf(observed, name);
  const known = before?.revision ?? revision;
  if (known === undefined) return observed;
  const { process: _, next_try_ms: __, ...rest } = before ?? { name, revision: known, failures: 0 };
  if (asked) return put(observed, rest);
  const livedMs = nowMs - (before?.started_at_ms ?? nowMs);
  const failures = livedMs >= STABLE_MS ? 1 : rest.failures + 1;
  return put(observed, { ...rest, failures, last_end: why, next_try_ms: nowMs + backoffMs(failures) });
}

export const withoutChild = (observed: Observed, name: ChildName): Observed => ({
  ...observed,
  children: observed.children.filter((one) => one.name !== name),
});

/**
 * What a new supervisor makes of the memory when processes ended while none watched (a reboot, or with `npm start` always).
 * That is nobody's failure: a candidate without its process is made ready anew, a promotion to it begins again from the
 * generation before, and which Herdr is used is decided anew when nothing runs that talks to one.
 */
export function afterAbsence(observed: Observed, alive: ReadonlySet<ChildName>): Observed {
  const { transition, candidate, herdr, draining, ...rest } = observed;
  const runs = (generation: 'a' | 'b' | undefined) => generation !== undefined && alive.has(runtimeOf(generation));
  const goesOn = transition !== undefined && (runs(transition.to.generation) || transition.phase === 'returning');
  const again = candidate && !runs(candidate.generation) && candidate.phase !== 'failed' && !goesOn;
  return {
    ...rest,
    children: observed.children.filter(({ name }) => alive.has(name)),
    ...(goesOn ? { transition } : {}),
    ...(candidate ? { candidate: again ? { ...candidate, phase: 'migrating', gates: [] } : candidate } : {}),
    ...(herdr && alive.size > 0 ? { herdr } : {}),
    ...(draining && runs(draining.generation) ? { draining } : {}),
  };
}

/** Doubles from a quarter of a second to a minute. */
export const backoffMs = (failures: number): number =>
  Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** Math.max(0, failures - 1));

function put(observed: Observed, child: ObservedChild): Observed {
  return { ...observed, children: [...withoutChild(observed, child.name).children, child] };
}
