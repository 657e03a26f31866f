/**
 * The folder of the next session, made while nothing waits for it: making it and its files costs a command more than
 * anything else that we do ourselves. One that is never used has an empty `meta.json` and is no session.
 */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { sessionPath } from './folder.ts';
import { AHEAD_MS } from './limits.ts';

export interface Prepared {
  id: string;
  folder: string;
  meta: number;
  stdout: number;
  stderr: number;
  madeAtMs: number;
}

export class FolderAhead {
  readonly #base: string;
  readonly #newId: () => string;
  readonly #nowMs: () => number;
  #next: Prepared | undefined;

  constructor(base: string, newId: () => string, nowMs: () => number) {
    this.#base = base;
    this.#newId = newId;
    this.#nowMs = nowMs;
  }

  /** A folder to use now; throws what the system says when none can be made. The caller closes the files. */
  take(): Prepared {
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) return this.#make();
    // An old one may have been swept away by another generation.
    const age = this.#nowMs() - next.madeAtMs;
    if (age >= 0 && age < AHEAD_MS) return next;
    discard(next);
    return this.#make();
  }

  /** Makes the next one unless it is there. Trouble (a full disk) is left to the command that needs it. */
  prepare(): void {
    try {
      this.#next ??= this.#make();
    } catch {
      this.#next = undefined;
    }
  }

  close(): void {
    if (this.#next !== undefined) discard(this.#next);
    this.#next = undefined;
  }

  #make(): Prepared {
    const id = this.#newId();
    const folder = sessionPath(this.#base, id);
    const open: number[] = [];
    try {
      mkdirSync(folder, { mode: 0o700 });
      for (const name of ['meta.json', 'stdout', 'stderr']) open.push(openSync(`${folder}/${name}`, 'a', 0o600));
      const [meta, stdout, stderr] = open as [number, number, number];
      return { id, folder, meta, stdout, stderr, madeAtMs: this.#nowMs() };
    } catch (error) {
      for (const fd of open) closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

/** Closes the files and removes the folder. */
export function discard(prepared: Prepared): void {
  release(prepared);
  rmSync(prepared.folder, { recursive: true, force: true });
}

export function release(prepared: Prepared): void {
  for (const fd of [prepared.meta, prepared.stdout, prepared.stderr]) closeSync(fd);
}
