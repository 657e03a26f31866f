/** A command that this runtime started: it hears of the end at once, puts output in order and keeps it from growing. */
import type { Log } from '../../local/log/index.ts';
import type { Prepared } from './ahead.ts';
import { type Done, type Meta, sessionPath, writeDone } from './folder.ts';
import { groupExists } from './kill.ts';
import { FIRST_TICK_MS, TICK_MS } from './limits.ts';
import { markedProcesses } from './processes.ts';
import { commandOf, endFromFiles, type SessionState } from './state.ts';
import { Trim } from './trim.ts';

/** The wrapper that runs it. */
type Launched = Pick<Prepared, 'child' | 'pid' | 'liveness'>;

interface SessionParts {
  nowMs(): number;
  log: Log;
  /** Called when nothing of the command runs any more. */
  onGone(): void;
}

export class OwnSession {
  /** Resolves when the shell has ended; its background children may go on. */
  readonly ended: Promise<void>;
  readonly #base: string;
  readonly #meta: Meta;
  readonly #launched: Launched;
  readonly #parts: SessionParts;
  readonly #trim: Trim;
  #state: SessionState;
  #timer: NodeJS.Timeout | undefined;
  #settling: Promise<void> | undefined;

  constructor(base: string, meta: Meta, launched: Launched, parts: SessionParts) {
    this.#base = base;
    this.#meta = meta;
    this.#launched = launched;
    this.#parts = parts;
    this.#trim = new Trim(sessionPath(base, meta.id), meta.id, parts.log);
    const { id, root, cwd, startedAtMs } = meta;
    this.#state = { id, command: commandOf(meta), root, cwd, startedAtMs, running: true };
    this.ended = new Promise((resolve) => {
      launched.child.once('exit', (code, signal) => {
        void this.#end(code, signal)
          .catch((error: unknown) => this.#endUnseen(code, signal, error))
          .then(resolve);
      });
    });
    this.#tickAfter(FIRST_TICK_MS);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Stops looking after the command without touching it. */
  letGo(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#launched.liveness.destroy();
    this.#launched.child.removeAllListeners('exit');
  }

  /** Resolves when nothing of ours works on its files any more. */
  async quiet(): Promise<void> {
    await this.#settling;
    await this.#trim.quiet();
  }

  async #end(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const background = await this.#leftChildren();
    const settled = this.#howItEnded(code, signal);
    const done: Done = { ...settled, endedAtMs: this.#parts.nowMs(), ...(background ? { background: true } : {}) };
    this.#state = { ...this.#state, running: false, done };
    // Whoever waits is answered first; until it is on disk the end is known here.
    this.#settling = new Promise((resolve) => {
      setImmediate(() => {
        this.#settle(done);
        resolve();
      });
    });
  }

  /** The kernel told us the code, so the files are asked only for what it cannot tell. */
  #howItEnded(code: number | null, signal: NodeJS.Signals | null): Done {
    const { id, command, steps } = this.#meta;
    const nowMs = this.#parts.nowMs();
    const plain = command !== undefined ? !command.includes('|') : steps?.length === 1 || code === 0;
    if (code !== null && plain) return { v: 1, exitCode: code, signal: null, endedAtMs: nowMs };
    return endFromFiles(this.#base, id, code, signal, nowMs);
  }

  #settle(done: Done): void {
    const { id } = this.#meta;
    try {
      writeDone(this.#base, id, done);
    } catch (error) {
      this.#parts.log.warn(
        { err: error, session: id },
        'the end of a command could not be written down; it is known in memory',
      );
      return; // kept in memory for as long as this runtime lives
    }
    if (done.background !== true) this.#finish();
  }

  /** The folder could not be read at the end: what the kernel said is kept in memory. */
  #endUnseen(code: number | null, signal: NodeJS.Signals | null, error: unknown): void {
    const { nowMs, log } = this.#parts;
    log.warn({ err: error, session: this.#meta.id }, 'the files of a command could not be read when it ended');
    this.#state = { ...this.#state, running: false, done: { v: 1, exitCode: code, signal, endedAtMs: nowMs() } };
  }

  /** After the shell: does a child of it hold the pipe still, or is its process group not empty? */
  async #leftChildren(): Promise<boolean> {
    const { liveness } = this.#launched;
    // The end of the pipe came no later than the end of the shell, but may be read one turn later.
    for (let turn = 0; turn < 2 && !liveness.readableEnded; turn += 1) await new Promise(setImmediate);
    if (this.#isDeserted()) return false;
    return markedProcesses(this.#meta.id).length > 0;
  }

  #isDeserted(): boolean {
    return this.#launched.liveness.readableEnded && !groupExists(this.#launched.pid);
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#launched.liveness.destroy();
    // A trim that is under way looked before the last bytes came.
    void this.#trim
      .quiet()
      .then(() => this.#trim.trim())
      .finally(() => this.#parts.onGone());
  }

  #tickAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#trim.look();
      if (this.#timer === undefined) return;
      if (!this.#state.running && this.#isDeserted()) this.#finish();
      else this.#tickAfter(TICK_MS);
    }, ms);
    this.#timer.unref();
  }
}
