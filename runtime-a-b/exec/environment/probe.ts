/**
 * Asks a real login and interactive shell for its environment, once. Start-up files may print, ask, hang, start jobs or
 * replace the shell; so nothing is read from its streams: a program that it runs writes the environment to a file. The
 * shell has no terminal and no input, settles when it exits, ends at a limit, and whatever it started is ended with it.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../local/error/index.ts';
import { END_ROUNDS, ENVIRONMENT_BYTES_MAX } from '../limits.ts';
import { markedProcesses } from '../processes.ts';
import type { Shell } from '../shell.ts';
import { quoted } from '../wrapper.ts';

export type Environment = Record<string, string>;

/** People's start-up files can look for this variable and skip what only a person needs. */
const PROBE_MARK = 'HERDR_MCP_ENV_PROBE';

export type Probe =
  | { ok: true; environment: Environment; tookMs: number }
  | { ok: false; reason: string; tookMs: number };

export interface ProbeOptions {
  shell: Shell;
  /** What the shell starts with. */
  base: Readonly<Environment>;
  homeDir: string;
  /** A private folder for the file. */
  folder: string;
  limitMs: number;
  /** Aborted when the runtime stops. */
  signal: AbortSignal;
}

/** Never rejects, and never takes longer than the limit and a moment. */
export async function probeEnvironment(options: ProbeOptions): Promise<Probe> {
  const nonce = randomBytes(8).toString('hex');
  const file = join(options.folder, `login-env.${nonce}`);
  const started = performance.now();
  const tookMs = () => Math.round(performance.now() - started);
  try {
    const how = await runShell(options, file, nonce);
    const text = read(file);
    if (text !== undefined) return { ok: true, environment: parse(text), tookMs: tookMs() };
    return { ok: false, reason: how, tookMs: tookMs() };
  } catch (error) {
    return {
      ok: false,
      reason: `the shell could not be started (${systemCode(error) ?? 'unknown reason'})`,
      tookMs: tookMs(),
    };
  } finally {
    endMarked(nonce);
    for (const each of [file, `${file}.new`]) rmSync(each, { force: true });
  }
}

/**
 * The login shell with a guard beside it in its group, which ends the group when the runtime is gone: nobody else would
 * end start-up files that wait, or jobs that they started.
 */
const GUARDED = '(read -r _ <&3; kill -9 0) & exec "$@" 3<&-';

/** Resolves with how it ended, in words. */
function runShell(options: ProbeOptions, file: string, nonce: string): Promise<string> {
  const { shell, base, homeDir, limitMs, signal: stop } = options;
  const script = `/usr/bin/env -0 >${quoted(`${file}.new`)} && /bin/mv -f ${quoted(`${file}.new`)} ${quoted(file)}`;
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', GUARDED, 'herdr-mcp-login', shell.path, '-i', '-l', '-c', script], {
      cwd: homeDir,
      env: { ...base, HOME: homeDir, SHELL: shell.path, TERM: 'dumb', [PROBE_MARK]: nonce },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const life = child.stdio[3];
    life?.on('error', () => undefined); // it only has to be open for as long as we live
    const settle = (how: string) => {
      clearTimeout(timer);
      life?.destroy();
      stop.removeEventListener('abort', onStop);
      endGroup(child.pid);
      resolve(how);
    };
    const onStop = () => settle('the runtime stopped');
    const timer = setTimeout(() => settle(`the start-up files did not end within ${limitMs / 1000} s`), limitMs);
    stop.addEventListener('abort', onStop, { once: true });
    child.once('error', (error) => {
      settle('not started');
      reject(error);
    });
    child.once('exit', (code, signal) => {
      settle(`the shell ended (${signal ?? `exit code ${code}`}) before it could show its environment`);
    });
    if (stop.aborted) onStop();
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}

/** A job that start-up files put into a group of its own carries the mark; one may just be starting the next. */
function endMarked(nonce: string): void {
  for (let round = 0; round < END_ROUNDS; round += 1) {
    const alive = markedProcesses(nonce, PROBE_MARK);
    if (alive.length === 0) return;
    for (const { pid } of alive) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
      }
    }
  }
}

function read(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === undefined || size > ENVIRONMENT_BYTES_MAX ? undefined : readFileSync(file, 'utf8');
}

/** NUL after each `NAME=value`. What belongs to the probe's shell alone is left out. */
function parse(text: string): Environment {
  const environment: Environment = {};
  for (const entry of text.split('\0')) {
    const equals = entry.indexOf('=');
    if (equals > 0 && !OWN.has(entry.slice(0, equals))) environment[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  return environment;
}

const OWN: ReadonlySet<string> = new Set([PROBE_MARK, '_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM', 'BASH_EXECUTION_STRING']);
