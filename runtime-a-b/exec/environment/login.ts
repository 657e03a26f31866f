/**
 * The environment in which commands run: the one of the person's login shell, captured once and kept, refreshed when the
 * start-up files change. A probe that fails leaves the last good snapshot in place and says why.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../local/error/index.ts';
import type { Log } from '../../../local/log/index.ts';
import { readText, writeWhole } from '../folder.ts';
import { PROBE_AGE_MS, PROBE_MS, PROBE_PATIENCE_MS, PROBE_RETRY_MS } from '../limits.ts';
import type { Shell } from '../shell.ts';
import { startupFiles, startupMark } from './files.ts';
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

interface Snapshot {
  v: 1;
  mark: string;
  atMs: number;
  tookMs: number;
  environment: Environment;
}

export class LoginEnvironment {
  readonly #options: LoginOptions;
  readonly #base: Environment;
  #snapshot: Snapshot | undefined;
  #failure: { mark: string; atMs: number; reason: string } | undefined;
  #probing: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#base = serviceEnvironment(options.env, options.homeDir);
    this.#snapshot = readSnapshot(this.#file);
    if (this.#isOld(startupMark(options.shell, options.homeDir))) void this.#refresh();
  }

  /**
   * The environment for a command that starts now. Waits only when there is no snapshot yet or the start-up files have
   * changed, and then only for a moment.
   */
  async current(): Promise<Readonly<Environment>> {
    const { shell, homeDir, limits } = this.#options;
    const mark = startupMark(shell, homeDir);
    if (this.#isOld(mark)) void this.#refresh();
    if (this.#probing !== undefined && this.#snapshot?.mark !== mark) {
      await withPatience(this.#probing, limits?.patienceMs ?? PROBE_PATIENCE_MS);
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

  get #file(): string {
    return join(this.#options.folder, 'login-env.json');
  }

  #isOld(mark: string): boolean {
    const now = this.#options.nowMs();
    if (this.#failure?.mark === mark && now - this.#failure.atMs < PROBE_RETRY_MS) return false;
    return this.#snapshot?.mark !== mark || now - this.#snapshot.atMs > PROBE_AGE_MS;
  }

  #refresh(): Promise<void> {
    this.#probing ??= this.#probe()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the login environment could not be captured');
      })
      .finally(() => {
        this.#probing = undefined;
      });
    return this.#probing;
  }

  async #probe(): Promise<void> {
    const { shell, homeDir, folder, log, nowMs, limits, probe = probeEnvironment } = this.#options;
    const mark = startupMark(shell, homeDir);
    const limitMs = limits?.probeMs ?? PROBE_MS;
    const result = await probe({ shell, base: this.#base, homeDir, folder, limitMs, signal: this.#stopping.signal });
    if (!result.ok) {
      if (this.#stopping.signal.aborted) return;
      this.#failure = { mark, atMs: nowMs(), reason: result.reason };
      const files = startupFiles(shell, homeDir);
      log.warn({ reason: result.reason, took_ms: result.tookMs, files }, 'the login environment could not be captured');
      return;
    }
    this.#failure = undefined;
    const environment = { ...result.environment, HOME: homeDir, SHELL: shell.path };
    this.#snapshot = { v: 1, mark, atMs: nowMs(), tookMs: result.tookMs, environment };
    try {
      writeWhole(this.#file, JSON.stringify(this.#snapshot));
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

function readSnapshot(file: string): Snapshot | undefined {
  try {
    const parsed = JSON.parse(readText(file) ?? '') as Partial<Snapshot>;
    const whole = parsed.v === 1 && typeof parsed.environment === 'object' && typeof parsed.mark === 'string';
    return whole ? (parsed as Snapshot) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // none, or an older form: it is captured anew
    throw error;
  }
}

async function withPatience(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
