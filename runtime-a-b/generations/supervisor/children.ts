/** The processes of the product as the supervisor holds them: started once, adopted, watched, ended. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from '../../../local/error/index.ts';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { type StatePaths, statePaths } from '../../../local/paths/index.ts';
import { type Patience, patience } from '../../../local/patience/index.ts';
import { isAlive } from '../../../local/spawn/index.ts';
import { type Generation, readRecord } from '../lease.ts';
import { ASK_MS, END_MS, READY_MS_MAX, SILENT_LOOKS, SILENT_MS, YOUNG_HALF_MIB } from '../limits.ts';
import type { ChildName, Observed, ObservedChild } from '../observed.ts';
import { revisionFolder } from '../revision.ts';
import { askHealth } from './ask.ts';
import { herdrAt } from './herdr.ts';
import { lastWords } from './last-words.ts';
import { type Launched, launch, signal } from './launch.ts';
import { linkSays } from './link.ts';
import { logSize } from './log-size.ts';
import type { Standing } from './view.ts';

export interface ChildrenOptions {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  /** 0 means any free one. */
  ports: Record<Generation, number>;
  /** What panes of the embedded Herdr find as `herdr-mcp`; the revision's own when absent. */
  bin?: string;
  /** Children end by themselves when this process is gone. */
  parentPid?: number;
  /** How long a runtime that was ready may give no answer before it is ended, in ms. */
  silentMs?: number;
}

/** One that ended. */
export interface Ending {
  name: ChildName;
  asked: boolean;
  /** One sentence. */
  why: string;
}

interface Held {
  pid: number;
  start: string;
  /** Whether this process started it. */
  own: boolean;
  /** Why it had to be ended, where it had. Says more than how it went. */
  verdict?: string;
  /** How it ended, where that is known. */
  exit?: string;
  ready: boolean;
  /** Whether a question to it is on its way. */
  asked: boolean;
  /** When it last answered, and since when it has not, on the monotonic clock, which stands still while the machine sleeps. */
  heardMs: number;
  silentSinceMs: number | undefined;
  /** When it was started or adopted, on the monotonic clock. */
  sinceMs: number;
  logFrom: number;
  askedToEnd: boolean;
  hard?: Patience;
}

/** Files, in the state folder's `logs/`. */
const LOG_OF: Record<ChildName, string> = {
  'runtime-a': 'runtime-a.log',
  'runtime-b': 'runtime-b.log',
  link: 'link.log',
  herdr: 'embedded-herdr.log',
};

export class Children {
  readonly #options: ChildrenOptions;
  readonly #paths: StatePaths;
  readonly #held = new Map<ChildName, Held>();
  /** Called when a process of ours ends, so that nobody waits for the next look. */
  ended: () => void = () => undefined;

  constructor(options: ChildrenOptions) {
    this.#options = options;
    this.#paths = statePaths(options.stateDir);
    ensurePrivateDir(this.#paths.logs);
  }

  /** Takes over the ones of an earlier supervisor that still live. */
  adopt(children: readonly ObservedChild[]): void {
    for (const { name, process: known } of children) {
      if (!known || !isAlive(known.pid, known.start)) continue;
      this.#hold(name, known.pid, known.start, logSize(this.#log(name)));
    }
  }

  standing(name: ChildName): Standing {
    const held = this.#held.get(name);
    if (!held) return 'none';
    if (isEnding(held)) return 'ending';
    return held.ready ? 'ready' : 'starting';
  }

  pid(name: ChildName): number | undefined {
    return this.#held.get(name)?.pid;
  }

  /** Starts the waiting shell; `go` lets it become the program once its pid has been written down. */
  prepare(name: ChildName, revision: string, herdrSocket: string): Launched | undefined {
    const { env, stateDir } = this.#options;
    const log = this.#log(name);
    const from = logSize(log);
    const launched = launch({
      program: process.execPath,
      args: this.#arguments(name, revision, herdrSocket),
      env: { ...env, HERDR_MCP_STATE_DIR: stateDir, ...(name === 'link' ? FREES_EARLY : {}) },
      cwd: env['HOME'] || homedir(),
      log,
    });
    if (!launched) return undefined;
    const held = this.#hold(name, launched.pid, launched.start, from);
    held.own = true;
    launched.child.once('exit', (code, signalled) => {
      held.exit = signalled ? `ended with ${signalled}` : `ended with code ${code}`;
      this.ended();
    });
    return launched;
  }

  /** Asks it to end, and ends it and its group when it does not. */
  end(name: ChildName): void {
    const held = this.#held.get(name);
    if (!held || held.askedToEnd) return;
    held.askedToEnd = true;
    if (isAlive(held.pid, held.start)) signal(held.pid, 'SIGTERM', false);
    held.hard = patience(END_MS[name], () => {
      if (isAlive(held.pid, held.start)) signal(held.pid, 'SIGKILL', true);
    });
  }

  /** Looks at all of them: who has ended, who has become ready. */
  async look(): Promise<Ending[]> {
    const endings: Ending[] = [];
    for (const [name, held] of [...this.#held]) {
      // Of one that we started, how it ended is told a moment after it has.
      if (held.own ? held.exit === undefined : isAlive(held.pid, held.start)) {
        if (isEnding(held)) continue;
        if (held.ready) this.#listen(name, held);
        else await this.#lookIfReady(name, held);
        continue;
      }
      held.hard?.end();
      signal(held.pid, 'SIGKILL', true); // what it left in its group; commands and panes lead groups of their own
      this.#held.delete(name);
      endings.push({ name, asked: held.askedToEnd && held.verdict === undefined, why: this.#wordsOf(name, held) });
    }
    return endings;
  }

  /** Lets go of all without ending them. */
  leave(): void {
    for (const held of this.#held.values()) held.hard?.end();
    this.#held.clear();
  }

  #hold(name: ChildName, pid: number, start: string, logFrom: number): Held {
    const sinceMs = performance.now();
    const held: Held = {
      ...{ pid, start, ready: false, own: false, sinceMs, logFrom, askedToEnd: false },
      ...{ asked: false, heardMs: sinceMs, silentSinceMs: undefined },
    };
    this.#held.set(name, held);
    return held;
  }

  async #lookIfReady(name: ChildName, held: Held): Promise<void> {
    held.ready = await this.#answers(name, held).catch((error: unknown) => {
      if (error instanceof LocalError) return false; // what it wrote is not what it should be
      throw error;
    });
    if (held.ready || performance.now() - held.sinceMs < READY_MS_MAX) return;
    held.verdict = LATE;
    signal(held.pid, 'SIGKILL', true);
  }

  /** A runtime that lives and says nothing would keep every call waiting: it is ended, and started anew. */
  #listen(name: ChildName, held: Held): void {
    const silentMs = this.#options.silentMs ?? SILENT_MS;
    if (!name.startsWith('runtime') || held.asked || performance.now() - held.heardMs < silentMs / SILENT_LOOKS) return;
    held.asked = true;
    const answered = this.#answers(name, held, silentMs).catch(() => false);
    void answered.then((answers) => {
      held.asked = false;
      held.heardMs = performance.now();
      if (answers) held.silentSinceMs = undefined;
      else held.silentSinceMs ??= held.heardMs;
      if (held.silentSinceMs === undefined || held.heardMs - held.silentSinceMs < silentMs || held.askedToEnd) return;
      held.verdict = SILENT;
      signal(held.pid, 'SIGKILL', true);
      this.ended();
    });
  }

  async #answers(name: ChildName, { pid }: Held, timeoutMs = ASK_MS): Promise<boolean> {
    if (name === 'herdr') return (await herdrAt(this.#paths.herdrSocket)) !== undefined;
    if (name === 'link') return (await linkSays(this.#options.stateDir))?.pid === pid;
    const record = await readRecord(this.#options.stateDir, name === 'runtime-a' ? 'a' : 'b');
    return (
      record?.pid === pid && (await askHealth(record.port, Math.min(timeoutMs, ASK_MS)))?.bootId === record.boot_id
    );
  }

  #wordsOf(name: ChildName, held: Held): string {
    const how = `${name === 'herdr' ? 'embedded-herdr' : name} ${held.verdict ?? held.exit ?? 'ended'}`;
    // Whom a signal ended had no last words.
    const said = isEnding(held) || !held.exit?.includes('code') ? undefined : lastWords(this.#log(name), held.logFrom);
    return said === undefined ? `${how}.` : `${how}: ${said}`.slice(0, WORDS_MAX);
  }

  #arguments(name: ChildName, revision: string, herdrSocket: string): string[] {
    const { stateDir, ports, parentPid } = this.#options;
    const folder = revisionFolder(stateDir, revision);
    const parent = parentPid === undefined ? [] : ['--parent-pid', String(parentPid)];
    const young = `--max-semi-space-size=${YOUNG_HALF_MIB}`;
    if (name === 'link') return [young, join(folder, 'herdr-link.js'), '--state-dir', stateDir, ...parent];
    if (name === 'herdr') {
      ensurePrivateDir(this.#paths.herdrState);
      const place = ['--socket', this.#paths.herdrSocket, '--state-dir', this.#paths.herdrState];
      return [
        join(folder, 'embedded-herdr.js'),
        ...place,
        '--bin',
        this.#options.bin ?? join(folder, 'herdr-mcp.js'),
        ...parent,
      ];
    }
    const generation = name === 'runtime-a' ? 'a' : 'b';
    const place = ['--port', String(ports[generation]), '--generation', generation];
    return [
      young,
      join(folder, 'runtime.js'),
      ...place,
      ...['--state-dir', stateDir, '--herdr-socket', herdrSocket],
      ...parent,
    ];
  }

  #log(name: ChildName): string {
    return join(this.#paths.logs, LOG_OF[name]);
  }
}

const isEnding = ({ askedToEnd, verdict }: Held): boolean => askedToEnd || verdict !== undefined;

/** glibc then gives the buffers of large results back at once; without it a link keeps tens of MB after a burst. */
const FREES_EARLY = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const LATE = 'did not answer within a minute and was ended';
const SILENT = 'stopped answering and was ended';

/** Of a sentence about an ending; the log has the rest. */
const WORDS_MAX = 1_500;

/** Children that an earlier supervisor left, with whether they still live. */
export const living = ({ children }: Observed): ObservedChild[] =>
  children.filter(({ process: known }) => known !== undefined && isAlive(known.pid, known.start));
