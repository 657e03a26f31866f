/**
 * One process of the product under start: its own process group, its log in a private file, ready when it says so on
 * stdout, and ended once, whoever asks.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { LocalError } from '../../local/error/index.ts';
import { lastWords } from '../../runtime-a-b/generations/supervisor/last-words.ts';
import { READY_MS_MAX } from './limits.ts';

export interface ChildOptions {
  /** How people call it: `runtime`, `link`. */
  name: string;
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Where its stderr goes. */
  log: string;
  /** Whether a line on its stdout means that it is ready. */
  isReady: (line: string) => boolean;
}

export interface Child {
  name: string;
  pid: number;
  /** The line that said ready. */
  ready: string;
  /** Resolves with a sentence when the process has ended, asked or not. */
  ended: Promise<string>;
  /** Asks it to end, ends it and its group after `withinMs`, and resolves when it is gone. */
  end(withinMs: number): Promise<void>;
}

/** Starts and waits until it is ready. Throws with the process's own last words when it is not; nothing is left then. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const log = openSync(options.log, 'w', 0o600);
  const child = spawn(options.program, options.args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const over = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${options.name} could not be started (${error.message})`));
    child.once('exit', (code, signal) => resolve(`${options.name} ended with ${signal ?? `code ${code}`}`));
  });
  const end = endOnce(child, over);
  const ready = readyLine(child.stdout, options.isReady);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), READY_MS_MAX);
  });
  const first = await Promise.race([ready.then((line) => ({ line })), over.then((why) => ({ why })), late]);
  clearTimeout(timer);
  if (first === 'late' || 'why' in first) {
    await end(0);
    const why = first === 'late' ? `${options.name} was not ready within ${READY_MS_MAX / 1000} s` : first.why;
    throw new LocalError(`${options.name}_failed`, lastWords(options.log, 0) ?? `${why}.`, `Its log: ${options.log}`);
  }
  return { name: options.name, pid: child.pid ?? 0, ready: first.line, ended: over, end };
}

function readyLine(stdout: Readable | null, isReady: (line: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    if (stdout) createInterface({ input: stdout }).on('line', (line) => isReady(line) && resolve(line));
  });
}

function endOnce(child: ChildProcess, over: Promise<string>): (withinMs: number) => Promise<void> {
  let hard: NodeJS.Timeout | undefined;
  return async (withinMs) => {
    signal(child, 'SIGTERM');
    clearTimeout(hard);
    hard = setTimeout(() => signal(child, 'SIGKILL'), withinMs);
    await over;
    clearTimeout(hard);
    signal(child, 'SIGKILL'); // what it left in its group
  };
}

/** To the whole group; one that is gone is no error. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
