/**
 * `desired.json`: what people and commands want of this workstation. Commands write it, under `desired.lock`, and then
 * wait until the supervisor (`herdr-mcp up`, `npm start`) has dealt with their change; the supervisor never writes it.
 *
 * Words: a *revision* is an immutable folder of built programs, named by its content (`<state>/revisions/<id>`). A
 * *generation* is `a` or `b`: the place, with its port, in which the runtime of one revision runs.
 *
 * | written by | field |
 * |---|---|
 * | `up` (a person's, without `--service`), `down` | `running` |
 * | `pause`, `resume` | `paused`; runtimes look at it themselves before each call, also while no supervisor runs |
 * | `runtime stage` | `candidate`: is started beside the active one, gated, and kept ready |
 * | `runtime promote`, `runtime rollback` | `active`; `candidate` goes away |
 * | `install`, `update` | `active` when there is none yet, else `candidate` and then `active`; `programs` last |
 *
 * Each change raises `change` by one. The supervisor has dealt with it when `observed.change` has reached that number,
 * whatever became of it: see observed.ts for the outcome. A change that was asked for while no supervisor ran is dealt
 * with when the next one starts.
 *
 * `desired.copy.json` is its last good copy, written before it: what a person wanted last, also that nothing runs or that
 * calls are paused, holds when the file itself is broken (a power cut, a slip of an editor). Whoever reads gets the copy
 * then; whoever writes, and the supervisor, puts the broken file aside (`desired.json.broken`) and writes it anew. When
 * neither can be read nothing is guessed: whether calls are paused is a person's to say.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir, writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { DESIRED_LOCK_MS, DESIRED_POLL_MS } from './limits.ts';
import { isBroken, readStateFile, readStateFileNow, setAside } from './state-file.ts';

/** The name of a revision: the package's version and the beginning of its content's sha256. */
export const RevisionId = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' });

export const Desired = Type.Object({
  schema: Type.Literal(1),
  /** Grows by one with each change. */
  change: Type.Integer({ minimum: 1 }),
  /** False when the user stopped it: no supervisor starts anything then, `up --service` ends with exit code 0. */
  running: Type.Boolean(),
  /** Present while all calls are refused. */
  paused: Type.Optional(Type.Object({ since_ms: Type.Integer() })),
  /** The revision that should serve calls. */
  active: Type.Optional(RevisionId),
  /** The revision that should run beside it, gated and ready. */
  candidate: Type.Optional(RevisionId),
  /** Whose link program runs; the first active revision's when absent. A change restarts the link, calls survive that. */
  programs: Type.Optional(RevisionId),
  /** How a promotion is watched. */
  observation: Type.Optional(
    Type.Object({
      checks: Type.Integer({ minimum: 1, maximum: 20 }),
      interval_ms: Type.Integer({ minimum: 0, maximum: 10_000 }),
    }),
  ),
});
export type Desired = Static<typeof Desired>;

/** Before anybody wanted anything. */
const NOTHING: Desired = { schema: 1, change: 1, running: true };

/**
 * What is wanted, out of the copy when the file is broken; `undefined` while nobody ever wrote it. Throws a `LocalError`
 * when it is not private, or neither of the two is what it should be.
 */
export async function readDesired(stateDir: string): Promise<Desired | undefined> {
  const { desired, desiredCopy } = statePaths(stateDir);
  try {
    return await readStateFile(desired, Desired);
  } catch (error) {
    if (!isBroken(error)) throw error;
    const copy = await readStateFile(desiredCopy, Desired).catch(nothing);
    if (copy === undefined) throw wayOut(error, desired);
    return copy;
  }
}

/** The same without giving way, for a runtime that looks before each call. */
export function readDesiredNow(stateDir: string): Desired | undefined {
  const { desired, desiredCopy } = statePaths(stateDir);
  try {
    return readStateFileNow(desired, Desired);
  } catch (error) {
    const copy = isBroken(error) ? copyNow(desiredCopy) : undefined;
    if (copy === undefined) throw isBroken(error) ? wayOut(error, desired) : error;
    return copy;
  }
}

function copyNow(file: string): Desired | undefined {
  try {
    return readStateFileNow(file, Desired);
  } catch (error) {
    return nothing(error);
  }
}

/** A copy that cannot be used is as good as none. */
const nothing = (error: unknown): undefined => {
  if (error instanceof LocalError) return undefined;
  throw error;
};

export interface Mended {
  desired: Desired | undefined;
  /** What was done, one sentence, when the file was broken. */
  did?: string;
}

/**
 * For the supervisor: what is wanted, and a broken file written anew out of its copy or of what the supervisor itself read
 * last (`known`), whichever is the newer. Throws a `LocalError` when there is neither; nothing was touched then.
 */
export async function mendDesired(stateDir: string, known?: Desired): Promise<Mended> {
  try {
    return { desired: await readStateFile(statePaths(stateDir).desired, Desired) };
  } catch (error) {
    if (!isBroken(error)) throw error;
  }
  const lock = await turn(statePaths(stateDir).desiredLock);
  try {
    return await mended(stateDir, known);
  } finally {
    lock.release();
  }
}

/** Under the lock. */
async function mended(stateDir: string, known?: Desired): Promise<Mended> {
  const { desired: file, desiredCopy } = statePaths(stateDir);
  try {
    return { desired: await readStateFile(file, Desired) };
  } catch (error) {
    if (!isBroken(error)) throw error;
    const copy = await readStateFile(desiredCopy, Desired).catch(nothing);
    const newest = (copy?.change ?? 0) >= (known?.change ?? 0) ? (copy ?? known) : known;
    if (newest === undefined) throw wayOut(error, file);
    const name = await setAside(file);
    await write(stateDir, newest);
    return { desired: newest, did: `${error.message} It is now ${name}, and what was wanted last holds.` };
  }
}

const wayOut = (error: LocalError, file: string) =>
  new LocalError(
    error.code,
    `${error.message} Nor is there a copy of what was wanted, such as whether calls are paused.`,
    `Move ${file} away and start again (herdr-mcp up, in a clone npm start): that begins with the programs of that command, and takes calls. Nothing was changed.`,
    error,
  );

/** The copy first: what is acknowledged stands in both. */
async function write(stateDir: string, desired: Desired): Promise<void> {
  const paths = statePaths(stateDir);
  const text = `${JSON.stringify(desired, null, 2)}\n`;
  await writeAtomic(paths.desiredCopy, text);
  await writeAtomic(paths.desired, text);
}

/**
 * Changes what is wanted, one writer at a time, atomically, and resolves with the new whole. `edit` gets what stands
 * there now and returns what should; when it returns the very same object nothing is written. Throws a `LocalError` when
 * another writer holds the lock for longer than a write can take, and whatever `edit` throws; nothing is written then.
 */
export async function changeDesired(stateDir: string, edit: (now: Desired) => Desired): Promise<Desired> {
  const paths = statePaths(ensurePrivateDir(stateDir));
  const lock = await turn(paths.desiredLock);
  try {
    const { desired: before } = await mended(stateDir);
    const now = before ?? NOTHING;
    const wanted = edit(now);
    if (wanted === now && before !== undefined) return now;
    const next = { ...wanted, change: before === undefined ? wanted.change : before.change + 1 };
    await write(stateDir, next);
    return next;
  } finally {
    lock.release();
  }
}

async function turn(path: string): Promise<{ release(): void }> {
  const end = performance.now() + DESIRED_LOCK_MS;
  for (;;) {
    const lock = acquireLock(path, 'desired');
    if (lock.held) return lock;
    if (performance.now() > end) {
      throw new LocalError(
        'desired_busy',
        `Process ${lock.by.pid} is changing what should run here, and does not end.`,
        'Try again in a moment; nothing was changed.',
      );
    }
    await sleep(DESIRED_POLL_MS);
  }
}
