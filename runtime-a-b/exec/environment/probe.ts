/**
 * Asks a real login and interactive shell for its environment, once. Start-up files may print, ask, hang, start jobs or
 * replace the shell; so nothing is read from its streams: a program that it runs writes the environment to a file. The
 * shell has no terminal and no input, settles when it exits, ends at a limit, and whatever it started is ended with it: at
 * first as when a terminal is closed, so that what holds a lock (`pyenv rehash`) gives it back, and a moment later for good.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../../../local/error/index.ts';
import { patience } from '../../../local/patience/index.ts';
import { END_ROUNDS, ENVIRONMENT_BYTES_MAX, PROBE_END_LOOK_MS, PROBE_END_MS } from '../limits.ts';
import { type MarkedProcess, markedProcesses } from '../processes.ts';
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
  let shell: Running | undefined;
  try {
    shell = await runShell(options, file, nonce);
    const { how } = shell;
    const text = read(file);
    if (text !== undefined) return { ok: true, environment: parse(text), tookMs: tookMs() };
    return { ok: false, reason: how, tookMs: tookMs() };
  } catch (error) {
    return { ok: false, reason: notStarted(error), tookMs: tookMs() };
  } finally {
    await endAll(shell, nonce);
    for (const each of [file, `${file}.new`]) rmSync(each, { force: true });
  }
}

/** In the arguments of the guard, by which it is told from what start-up files started. */
const GUARD = 'herdr-mcp-login';

/**
 * The login shell with a guard beside it in its group, which ends the group when the runtime is gone: nobody else would
 * end start-up files that wait, or jobs that they started.
 */
const GUARDED = `(trap '' HUP; read -r _ <&3; kill -HUP 0; sleep ${PROBE_END_MS / 1000}; kill -9 0) & exec "$@" 3<&-`;

interface Running {
  /** How the shell ended, or why it is ended, in words. */
  how: string;
  pid: number | undefined;
  /** Lets the guard end the group. */
  letGo(): void;
}

/** Resolves when the shell has ended or must end; it, or what it started, may still run. */
function runShell(options: ProbeOptions, file: string, nonce: string): Promise<Running> {
  const { shell, base, homeDir, limitMs, signal: stop } = options;
  const script = `/usr/bin/env -0 >${quoted(`${file}.new`)} && /bin/mv -f ${quoted(`${file}.new`)} ${quoted(file)}`;
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', GUARDED, GUARD, shell.path, '-i', '-l', '-c', script], {
      cwd: homeDir,
      env: { ...base, HOME: homeDir, SHELL: shell.path, TERM: 'dumb', [PROBE_MARK]: nonce },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const life = child.stdio[3];
    life?.on('error', () => undefined); // it only has to be open for as long as we live
    const settle = (how: string) => {
      waiting.end();
      stop.removeEventListener('abort', onStop);
      resolve({ how, pid: child.pid, letGo: () => life?.destroy() });
    };
    const onStop = () => settle('the runtime stopped');
    const waiting = patience(limitMs, () => settle(`the start-up files did not end within ${limitMs / 1000} s`));
    stop.addEventListener('abort', onStop, { once: true });
    child.once('error', (error) => settle(notStarted(error)));
    child.once('exit', (code, signal) => {
      settle(`the shell ended (${signal ?? `exit code ${code}`}) before it could show its environment`);
    });
    if (stop.aborted) onStop();
  });
}

const notStarted = (error: unknown): string =>
  `the shell could not be started (${systemCode(error) ?? 'unknown reason'})`;

/**
 * As when a terminal is closed; what does not end within a moment is ended for good. An interactive shell hands the signal
 * on to its jobs, and one that comes a second time would cut off what a program does on the first: so who is left is asked
 * by itself only after half the time.
 */
async function endAll(shell: Running | undefined, nonce: string): Promise<void> {
  if (shell?.pid !== undefined) signal(-shell.pid, 'SIGHUP');
  await gone(nonce, PROBE_END_MS / 2);
  for (const { pid } of leftOf(nonce)) signal(pid, 'SIGHUP');
  await gone(nonce, PROBE_END_MS / 2);
  if (shell?.pid !== undefined) signal(-shell.pid, 'SIGKILL');
  shell?.letGo();
  endMarked(nonce);
}

/** Resolves when nothing of it is left, or after a time. */
async function gone(nonce: string, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (leftOf(nonce).length > 0 && performance.now() < end) await sleep(PROBE_END_LOOK_MS);
}

/** The shell and everything that its start-up files started, without the guard. */
function leftOf(nonce: string): MarkedProcess[] {
  return markedProcesses(nonce, PROBE_MARK).filter(({ command }) => !command.includes(` ${GUARD} `));
}

/** Signals a process, or a group by its negated leader; one that is gone is no error. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}

/** A job that start-up files put into a group of its own carries the mark; one may just be starting the next. */
function endMarked(nonce: string): void {
  for (let round = 0; round < END_ROUNDS; round += 1) {
    const alive = markedProcesses(nonce, PROBE_MARK);
    if (alive.length === 0) return;
    for (const { pid } of alive) signal(pid, 'SIGKILL');
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
