/**
 * What the owner wants of a runtime while it runs, looked at before each call: whether calls are paused, whether it is
 * the active generation, and what `config.json` lets be changed. A look is a stat; a file is read again when it was
 * replaced. One that cannot be read leaves what was wanted before, and is said once.
 */
import { statSync } from 'node:fs';
import type { CallEnvelope } from '../contract/call.ts';
import { OutcomeError } from '../contract/outcome.ts';
import { type Config, readConfigNow } from '../local/config/index.ts';
import { LocalError } from '../local/error/index.ts';
import type { Log } from '../local/log/index.ts';
import { statePaths } from '../local/paths/index.ts';
import { type Generation, readDesiredNow, readPointerNow } from './generations/index.ts';

export interface WishesParts {
  stateDir: string;
  generation: Generation;
  /** Called when the configuration was replaced. */
  configured: (config: Config) => void;
  nowMs: () => number;
  log: Log;
}

type Check = (envelope: CallEnvelope, args: Record<string, unknown>) => void;

export class Wishes {
  readonly #parts: WishesParts;
  readonly #desired: Watched<ReturnType<typeof readDesiredNow>>;
  readonly #pointer: Watched<ReturnType<typeof readPointerNow>>;
  readonly #config: Watched<Config>;

  constructor(parts: WishesParts) {
    const { stateDir, log } = parts;
    const files = statePaths(stateDir);
    this.#parts = parts;
    this.#desired = new Watched(files.desired, () => readDesiredNow(stateDir), log);
    this.#pointer = new Watched(files.runtimeActive, () => readPointerNow(stateDir), log);
    this.#config = new Watched(files.config, () => readConfigNow(files.config), log);
    this.#config.look();
  }

  /**
   * A check of calls that looks at the owner's wishes first. What `isKnown` stands in the ledger already and is only looked
   * up: a write that ran must not be told as refused.
   */
  before(check: Check, isKnown: (envelope: CallEnvelope, args: Record<string, unknown>) => boolean): Check {
    return (envelope, args) => {
      const refusal = this.#look();
      if (refusal && !isKnown(envelope, args)) throw refusal;
      check(envelope, args);
    };
  }

  /** Applies a new configuration; gives `paused` while calls are refused. */
  #look(): OutcomeError | undefined {
    if (this.#config.look()) this.#parts.configured(this.#config.value ?? {});
    this.#desired.look();
    const paused = this.#desired.value?.paused;
    if (!paused) return undefined;
    const minutes = Math.max(0, Math.round((this.#parts.nowMs() - paused.since_ms) / 60_000));
    return new OutcomeError(
      'paused',
      `This workstation was paused by its user ${minutes === 0 ? 'just now' : `${minutes} min ago`}. Nothing of this call was run.`,
      {
        next: 'Ask the user; `herdr-mcp resume` on the workstation takes calls again.',
        details: { since_ms: paused.since_ms },
      },
    );
  }

  /** Whether the pointer names this generation; while it names none, whoever runs may act as the active one. */
  isActive(): boolean {
    this.#pointer.look();
    return (this.#pointer.value?.generation ?? this.#parts.generation) === this.#parts.generation;
  }
}

/** One file and what it said last. */
class Watched<T> {
  value: T | undefined;
  readonly #file: string;
  readonly #read: () => T;
  readonly #log: Log;
  #seen: string | undefined;

  constructor(file: string, read: () => T, log: Log) {
    this.#file = file;
    this.#read = read;
    this.#log = log;
  }

  /** Whether it was replaced since the last look and could be read. */
  look(): boolean {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    const seen = stats ? `${stats.ino}:${stats.mtimeMs}:${stats.size}:${stats.mode}` : '-';
    if (seen === this.#seen) return false;
    this.#seen = seen;
    try {
      this.value = this.#read();
      return true;
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      this.#log.error({ err: error }, error.sentence);
      return false;
    }
  }
}
