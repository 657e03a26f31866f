/** Keeps the streams of a running command in order and from growing: looked at now and then, by whoever is alive. */
import type { Log } from '../../local/log/index.ts';
import { nextHole, punch, readHole } from './hole.ts';
import { bringUpToDate, type Stream } from './order.ts';
import { streamSizes } from './output.ts';

export class Trim {
  readonly #folder: string;
  readonly #id: string;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  #uncapped = false;

  constructor(folder: string, id: string, log: Log) {
    this.#folder = folder;
    this.#id = id;
    this.#log = log;
  }

  /** One look: whole lines are put in order, and what is too long loses its middle, in the background. Never throws. */
  look(): void {
    try {
      bringUpToDate(this.#folder, streamSizes(this.#folder), 'lines');
      void this.trim();
    } catch (error) {
      this.#log.warn({ err: error, session: this.#id }, 'the output of a command could not be looked after');
    }
  }

  /** Resolves when no trim is under way. */
  async quiet(): Promise<void> {
    await this.#running;
  }

  trim(): Promise<void> {
    this.#running ??= this.#now()
      .catch((error: unknown) => {
        this.#log.warn({ err: error, session: this.#id }, 'the output of a command could not be trimmed');
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #now(): Promise<void> {
    if (this.#uncapped) return;
    const sizes = streamSizes(this.#folder);
    for (const stream of ['stdout', 'stderr'] satisfies Stream[]) {
      const hole = nextHole(sizes[stream], readHole(this.#folder, stream));
      if (hole === undefined || (await punch(this.#folder, stream, hole))) continue;
      this.#uncapped = true;
      this.#log.warn(
        { session: this.#id, stream, bytes: sizes[stream] },
        'this system cannot drop the middle of a long output; it is kept whole',
      );
    }
  }
}
