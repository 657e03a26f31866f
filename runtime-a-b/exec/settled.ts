/**
 * Which sessions have their end written down. That is never taken back, so each is looked for on the disk once: an inspect
 * must not become slower with every command that was ever run.
 */
import { existsSync } from 'node:fs';
import { sessionPath } from './folder.ts';

export class Settled {
  readonly #base: string;
  readonly #exists: (path: string) => boolean;
  #known: ReadonlySet<string> = new Set();

  constructor(base: string, exists: (path: string) => boolean = existsSync) {
    this.#base = base;
    this.#exists = exists;
  }

  /** Of all sessions there are those whose end is not written down, in the same order. Forgets those that are gone. */
  open(ids: readonly string[]): string[] {
    const open: string[] = [];
    const known = new Set<string>();
    for (const id of ids) {
      if (this.#known.has(id) || this.#exists(sessionPath(this.#base, id, 'done.json'))) known.add(id);
      else open.push(id);
    }
    this.#known = known;
    return open;
  }
}
