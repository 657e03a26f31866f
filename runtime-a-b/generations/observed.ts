/**
 * `observed.json`: what the supervisor sees, has done and remembers. Written by the supervisor alone (whoever holds
 * `start.lock`), temp + fsync + rename, before and after each step that must survive a kill. Everybody else reads.
 *
 * At its start a supervisor reads it and adopts every child that still lives, by pid and start time; it starts none
 * twice, because a child's pid stands here before the child is let go on. When the file is broken (a power cut, a hand),
 * it finds what runs by looking at processes (found.ts), puts the file aside as `observed.json.broken`, and goes on from
 * there; whoever only reads gets the same. How a supervisor ends:
 *
 * | what ends it | its children | exit code of `up` |
 * |---|---|---|
 * | Ctrl-C, SIGHUP in the foreground | end, in order | 0 |
 * | SIGTERM (a service's restart, with `KillMode=process`) | go on; the next supervisor adopts them | 0 |
 * | SIGKILL | go on; the next supervisor adopts them | |
 * | `desired.running` becomes false | end, in order | 0 |
 * | `up --service` while `desired.running` is false | none are started | 0 |
 * | it cannot start: another one runs, a file is broken that it cannot mend, nothing is installed | none are started | 1 |
 * | wrong usage | | 2 |
 *
 * `npm start` runs the same supervisor with children that end with it, whatever ends it.
 */
import { LocalError } from '../../local/error/index.ts';
import { lockHolder, writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { readDesired } from './desired.ts';
import { lookAround } from './found.ts';
import { readPointer } from './lease.ts';
import { Observed } from './observed-schema.ts';
import { isBroken, readStateFile } from './state-file.ts';

export { ChildName, GateResult, Observed, ObservedChild } from './observed-schema.ts';

export interface ObservedReport {
  /** The living supervisor; `undefined` when none runs, and then the rest is history. */
  up: { pid: number; name: string } | undefined;
  observed: Observed | undefined;
  /** Why `observed` is what was found by looking, when the file cannot be read; one sentence. */
  broken?: string;
}

/**
 * What the supervisor last wrote, and whether one runs: that is read from its lock, never from the file. What another one
 * wrote before it counts as `starting`: that one's `running` is history.
 */
export async function readObserved(stateDir: string): Promise<ObservedReport> {
  const paths = statePaths(stateDir);
  const { observed, broken } = await asWritten(stateDir);
  const why = broken === undefined ? {} : { broken };
  const holder = lockHolder(paths.startLock);
  if (holder === undefined) return { up: undefined, observed, ...why };
  const isHistory = observed !== undefined && observed.up.pid !== holder.pid;
  return {
    up: { pid: holder.pid, name: holder.name },
    observed: isHistory ? { ...observed, state: 'starting' } : observed,
    ...why,
  };
}

async function asWritten(stateDir: string): Promise<{ observed: Observed | undefined; broken?: string }> {
  try {
    return { observed: await readStateFile(statePaths(stateDir).observed, Observed) };
  } catch (error) {
    if (!isBroken(error)) throw error;
    const [pointer, desired] = await Promise.all([
      readPointer(stateDir).catch(unknown),
      readDesired(stateDir).catch(unknown),
    ]);
    return { observed: await lookAround(stateDir, { pointer, desired }), broken: error.message };
  }
}

/** A file beside it that says nothing either. */
const unknown = (error: unknown): undefined => {
  if (error instanceof LocalError) return undefined;
  throw error;
};

/** For the supervisor alone. */
export const writeObserved = (stateDir: string, observed: Observed): Promise<void> =>
  writeAtomic(statePaths(stateDir).observed, `${JSON.stringify(observed, null, 2)}\n`);
