/**
 * The environment in which commands run: the one of the person's login shell, captured once and kept, refreshed when the
 * start-up files change. A probe that fails leaves the last good snapshot in place and says why.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../local/error/index.ts';
import type { Log } from '../../../local/log/index.ts';
import { PROBE_AGE_MS, PROBE_MS, PROBE_PATIENCE_MS, PROBE_RETRY_MS } from '../limits.ts';
import type { Shell } from '../shell.ts';
import { startupFiles, startupMark } from './files.ts';
import {
  type Failure,
  keepFailure,
  keepSnapshot,
  keepTried,
  readFailure,
  readSnapshot,
  readTried,
  type Snapshot,
  type Tried,
} from './kept.ts';
import { type Environment, type Probe, type ProbeOptions, probeEnvironment } from './probe.ts';

export interface LoginFacts {
  source: 'login_shell' | 'service';
  shell: string;
  capturedAtMs?: number;
  tookMs?: number;
  /** Why the newest probe failed; the environment is then an older one, or the service's own. */
  problem?: string;
  /** The files that the probe ran. */
  files: string[];
}

export interface LoginOptions {
  shell: Shell;
  homeDir: string;
  /** Private; the snapshot is kept in it. */
  folder: string;
  /** The runtime's own environment. */
  env: Readonly<Record<string, string | undefined>>;
  nowMs(): number;
  log: Log;
  probe?: (options: ProbeOptions) => Promise<Probe>;
  limits?: { probeMs: number; patienceMs: number };
}

export class LoginEnvironment {
  readonly #options: LoginOptions;
  readonly #base: Environment;
  #snapshot: Snapshot | undefined;
  #failure: Failure | undefined;
  #tried: Tried | undefined;
  #probing: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#base = serviceEnvironment(options.env, options.homeDir);
    this.#snapshot = readSnapshot(options.folder);
    this.#failure = readFailure(options.folder);
    this.#tried = readTried(options.folder);
    if (this.#isOld(startupMark(options.shell, options.homeDir))) this.#refresh();
  }

  /**
   * The environment for a command that starts now. Waits only while these start-up files run for the first time, and all
   * commands of all generations together only for a moment, counted from its begin: files that failed once, or still run,
   * hold nobody up again.
   */
  async current(): Promise<Readonly<Environment>> {
    const { shell, homeDir, limits, nowMs } = this.#options;
    const mark = startupMark(shell, homeDir);
    if (this.#isOld(mark)) this.#refresh();
    if (this.#probing !== undefined && this.#snapshot?.mark !== mark && this.#failure?.mark !== mark) {
      const sinceMs = this.#tried?.mark === mark ? Math.max(0, nowMs() - this.#tried.atMs) : 0;
      await withPatience(this.#probing, (limits?.patienceMs ?? PROBE_PATIENCE_MS) - sinceMs);
    }
    return this.#snapshot?.environment ?? this.#base;
  }

  facts(): LoginFacts {
    const { shell, homeDir } = this.#options;
    const snapshot = this.#snapshot;
    return {
      source: snapshot === undefined ? 'service' : 'login_shell',
      shell: shell.path,
      ...(snapshot === undefined ? {} : { capturedAtMs: snapshot.atMs, tookMs: snapshot.tookMs }),
      ...(this.#failure === undefined ? {} : { problem: this.#failure.reason }),
      files: startupFiles(shell, homeDir),
    };
  }

  /** Resolves when no probe runs any more. */
  async settled(): Promise<void> {
    await this.#probing;
  }

  /** Ends a probe that runs; resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#probing;
  }

  #isOld(mark: string): boolean {
    const now = this.#options.nowMs();
    if (this.#failure?.mark === mark && now - this.#failure.atMs < PROBE_RETRY_MS) return false;
    return this.#snapshot?.mark !== mark || now - this.#snapshot.atMs > PROBE_AGE_MS;
  }

  #refresh(): void {
    if (this.#probing !== undefined) return;
    this.#probing = this.#probe()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the login environment could not be captured');
      })
      .finally(() => {
        this.#probing = undefined;
      });
  }

  async #probe(): Promise<void> {
    const { shell, homeDir, folder, log, nowMs, limits, probe = probeEnvironment } = this.#options;
    const mark = startupMark(shell, homeDir);
    const limitMs = limits?.probeMs ?? PROBE_MS;
    if (this.#tried?.mark !== mark) {
      this.#tried = { v: 1, mark, atMs: nowMs() };
      keepTried(folder, this.#tried);
    }
    const result = await probe({ shell, base: this.#base, homeDir, folder, limitMs, signal: this.#stopping.signal });
    if (!result.ok && this.#stopping.signal.aborted) return;
    if (result.ok) {
      this.#failure = undefined;
      const environment = { ...result.environment, HOME: homeDir, SHELL: shell.path };
      this.#snapshot = { v: 1, mark, atMs: nowMs(), tookMs: result.tookMs, environment };
    } else {
      this.#failure = { v: 1, mark, atMs: nowMs(), reason: result.reason };
      const files = startupFiles(shell, homeDir);
      log.warn({ reason: result.reason, took_ms: result.tookMs, files }, 'the login environment could not be captured');
    }
    try {
      if (result.ok && this.#snapshot) keepSnapshot(folder, this.#snapshot);
      keepFailure(folder, this.#failure);
    } catch (error) {
      log.warn({ err: error }, 'the login environment could not be kept; the next start captures it again');
    }
  }
}

/** What the runtime itself got, without what belongs to it or to npm, and with the places where tools usually are. */
export function serviceEnvironment(env: Readonly<Record<string, string | undefined>>, homeDir: string): Environment {
  const clean: Environment = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(HERDR_|npm_|NODE_|INIT_CWD$|VITEST|__)/.test(name)) clean[name] = value;
  }
  const usual = ['.local/bin', '.cargo/bin', '.npm-global/bin', '.local/share/mise/shims'].map((name) =>
    join(homeDir, name),
  );
  const inherited = (clean['PATH'] ?? '')
    .split(':')
    .filter((entry) => entry !== '' && !entry.includes('/node_modules/'));
  const all = [...usual, '/opt/homebrew/bin', ...inherited, '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  const existing = [...new Set(all)].filter(isFolder);
  return { ...clean, HOME: homeDir, PATH: existing.join(':') };
}

/** A folder that may not be looked at holds no program for us; it must not keep the runtime from starting. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

async function withPatience(work: Promise<void>, ms: number): Promise<void> {
  if (ms <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
