/**
 * A lock that a killed process cannot leave behind.
 *
 * The lock `x.lock` is the file `x.lock.<n>` with the highest n; its content names the holder by pid and start time, so
 * a dead holder and a reused pid are both seen. Numbers only grow: a contender links its own file under the next number
 * (which fails when another was first) and then looks whether a higher one appeared meanwhile. Deleting a stale file and
 * creating it again, the usual way, lets two contenders win.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { LocalError, systemCode } from '../error/index.ts';
import { LOCK_ROUNDS_MAX } from '../limits.ts';
import { isAlive, processStartTime } from '../spawn/index.ts';

export interface Holder {
  pid: number;
  /** As {@link processStartTime} gives it. */
  start: string;
  /** What the holder said it is: `link`, `start`. */
  name: string;
}

export interface Lock {
  held: true;
  /** Gives the lock back. Calling it again does nothing. */
  release(): void;
}

/** Takes the lock for this process, or says who has it. Never waits. `name` tells others who holds it. */
export function acquireLock(path: string, name: string): Lock | { held: false; by: Holder } {
  const self: Holder = { pid: process.pid, start: processStartTime(process.pid) ?? '', name };
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(draft, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    for (let round = 0; round < LOCK_ROUNDS_MAX; round += 1) {
      const top = highest(path);
      const by = top === 0 ? undefined : readHolder(`${path}.${top}`);
      if (by && isAlive(by.pid, by.start)) return { held: false, by };
      const mine = top + 1;
      if (!link(draft, `${path}.${mine}`)) continue;
      if (highest(path) > mine) {
        rmSync(`${path}.${mine}`, { force: true });
        continue;
      }
      for (const n of numbers(path)) if (n < mine) rmSync(`${path}.${n}`, { force: true });
      return heldLock(`${path}.${mine}`, self);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new LocalError('lock_contended', `The lock ${path} keeps changing hands.`, 'Try again in a moment.');
}

/** Who holds the lock now, or `undefined`. */
export function lockHolder(path: string): Holder | undefined {
  const top = highest(path);
  const by = top === 0 ? undefined : readHolder(`${path}.${top}`);
  return by && isAlive(by.pid, by.start) ? by : undefined;
}

/** The number stays taken after release (the file then names no process), or a slow contender could reuse it. */
function heldLock(file: string, self: Holder): Lock {
  let released = false;
  return {
    held: true,
    release() {
      if (released) return;
      released = true;
      const current = readHolder(file);
      if (current?.pid !== self.pid || current.start !== self.start) return;
      const empty = `${file}.tmp`;
      try {
        writeFileSync(empty, '{}', { mode: 0o600 });
        renameSync(empty, file);
      } catch (error) {
        if (systemCode(error) !== 'ENOSPC' && systemCode(error) !== 'EDQUOT') throw error;
        rmSync(empty, { force: true });
        truncateSync(file); // takes no room, and names nobody either
      }
    },
  };
}

/** The numbers that exist; none where the folder itself does not. */
function numbers(path: string): number[] {
  const prefix = `${basename(path)}.`;
  return entries(dirname(path))
    .filter((entry) => entry.startsWith(prefix) && /^[0-9]+$/.test(entry.slice(prefix.length)))
    .map((entry) => Number(entry.slice(prefix.length)));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function highest(path: string): number {
  return Math.max(0, ...numbers(path));
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A file that is gone, released or unreadable names nobody: files are linked whole, so a broken one is no live holder's. */
function readHolder(file: string): Holder | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { pid, start, name } = parsed as Partial<Holder>;
  return typeof pid === 'number' && typeof start === 'string' ? { pid, start, name: String(name ?? '') } : undefined;
}
