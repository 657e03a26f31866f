/**
 * Sessions that this runtime did not start as its own children: those of a runtime that is gone, and those in panes. They
 * need nobody to go on; but their output must not grow without end, and how they ended is written down when it is fresh.
 */
import type { Log } from '../../local/log/index.ts';
import { listSessions, sessionPath } from './folder.ts';
import { isSessionId } from './ids.ts';
import { FOLLOW_SCAN_MS, TICK_MS } from './limits.ts';
import type { Settled } from './settled.ts';
import { Trim } from './trim.ts';

interface FollowParts {
  log: Log;
  /** Whether this runtime has the session as its child. */
  isOwn(id: string): boolean;
  /** Reads the state, and writes the end down where it is new. */
  isRunning(id: string): boolean;
  settled: Settled;
}

export class Follow {
  readonly #base: string;
  readonly #parts: FollowParts;
  readonly #followed = new Map<string, Trim>();
  readonly #last = new Set<Promise<void>>();
  readonly #scanTimer: NodeJS.Timeout;
  #tickTimer: NodeJS.Timeout | undefined;

  constructor(base: string, parts: FollowParts) {
    this.#base = base;
    this.#parts = parts;
    this.#scanTimer = setInterval(() => this.scan(), FOLLOW_SCAN_MS);
    this.#scanTimer.unref();
  }

  /** Looks for sessions without a settled end that nobody here follows yet: an older generation may have stopped. */
  scan(): void {
    try {
      for (const id of this.#parts.settled.open(listSessions(this.#base).filter(isSessionId))) {
        if (this.#followed.has(id) || this.#parts.isOwn(id)) continue;
        if (this.#parts.isRunning(id)) this.follow(id);
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the commands of other generations could not be looked for');
    }
  }

  follow(id: string): void {
    this.#followed.set(id, new Trim(sessionPath(this.#base, id), id, this.#parts.log));
    this.#tickTimer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Stops; what runs goes on. Resolves when no file of theirs is being worked on. */
  async close(): Promise<void> {
    clearInterval(this.#scanTimer);
    clearInterval(this.#tickTimer);
    this.#tickTimer = undefined;
    await Promise.all([...[...this.#followed.values()].map((trim) => trim.quiet()), ...this.#last]);
    this.#followed.clear();
  }

  #tick(): void {
    for (const [id, trim] of this.#followed) {
      trim.look();
      if (this.#isRunning(id)) continue;
      this.#followed.delete(id);
      const last = trim.quiet().then(() => trim.trim());
      this.#last.add(last);
      void last.finally(() => this.#last.delete(last));
    }
    if (this.#followed.size > 0) return;
    clearInterval(this.#tickTimer);
    this.#tickTimer = undefined;
  }

  #isRunning(id: string): boolean {
    try {
      return this.#parts.isRunning(id);
    } catch (error) {
      this.#parts.log.warn({ err: error, session: id }, 'how a command stands could not be read');
      return true; // not known, so it is looked at again
    }
  }
}
