/** Steps that several parts of the plan take. Pure. */
import type { Generation } from '../lease.ts';
import type { ChildName, Observed } from '../observed.ts';
import type { Decision, View } from './view.ts';

export const childOf = (observed: Observed, name: ChildName) => observed.children.find((one) => one.name === name);

/** Moves the pointer when it names another place than the one that should serve. */
export function pointStep({ pointer, port }: View, generation: Generation): Decision | undefined {
  const at = port[generation];
  if (at === undefined || (pointer?.generation === generation && pointer.port === at)) return undefined;
  return { do: 'point', generation, port: at };
}

/** Starts a child unless it is waiting after a failure, or failed where nothing is started again. */
export function startStep(
  { observed, nowMs, restarts }: View,
  child: ChildName,
  revision: string,
): Decision | undefined {
  const before = childOf(observed, child);
  if (before?.next_try_ms !== undefined && before.revision === revision) {
    if (!restarts || before.next_try_ms > nowMs) return undefined;
  }
  return { do: 'start', child, revision, why: before?.last_end ?? 'it is wanted' };
}

/** Asks a child to end, once. */
export function stopStep({ standing }: View, child: ChildName, why: string): Decision | undefined {
  return standing[child] === 'ending' || standing[child] === 'none' ? undefined : { do: 'stop', child, why };
}
