/**
 * Starting a child so that none is ever started twice. A shell waits for one line before it becomes the program: its pid
 * is written down first, and only then the line is sent. When the supervisor dies in between, the pipe closes and the
 * shell ends without having started anything. `exec` keeps pid and start time, so the adopted process is the same.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { systemCode } from '../../../local/error/index.ts';
import { processStartTime } from '../../../local/spawn/index.ts';
import { LOG_BYTES_MAX } from '../limits.ts';

const WAIT_THEN_BECOME = 'read -r go || exit 0; exec "$@" </dev/null';

export interface Launch {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Where it writes, appended, 0600. */
  log: string;
}

export interface Launched {
  pid: number;
  start: string;
  child: ChildProcess;
  /** Lets it become the program. */
  go(): void;
}

/** Starts the waiting shell; `undefined` when even that ended at once. It leads a process group of its own. */
export function launch({ program, args, env, cwd, log }: Launch): Launched | undefined {
  turnOver(log);
  const out = openSync(log, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', WAIT_THEN_BECOME, 'sh', program, ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', out, out],
    });
  } finally {
    closeSync(out);
  }
  child.on('error', () => undefined); // its `pid` is then undefined, which is looked at
  child.stdin?.on('error', () => undefined); // it ended before the line: seen as an ending
  const start = child.pid === undefined ? undefined : processStartTime(child.pid);
  if (child.pid === undefined || start === undefined) return undefined;
  child.unref();
  return { pid: child.pid, start, child, go: () => void child.stdin?.end('go\n') };
}

/** A log that has grown large is put aside, one generation of it. */
function turnOver(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(log, `${log}.1`);
}

/** Signals the process or its whole group; one that is gone is no error. */
export function signal(pid: number, name: NodeJS.Signals, group: boolean): void {
  try {
    process.kill(group ? -pid : pid, name);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}
