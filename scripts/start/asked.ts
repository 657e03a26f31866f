/** When `npm start` is to end: a signal, or whoever started it is gone. */
import { execFileSync } from 'node:child_process';
import { systemCode } from '../../local/error/index.ts';
import { LAUNCHERS_MAX, PARENT_CHECK_MS } from './limits.ts';

/**
 * Aborts at the first signal, or when whoever started us is gone: an npm that was killed or lost its terminal hands no
 * signal down, and leaves the shell between it and us waiting for ever.
 */
export function whenAsked(): AbortSignal {
  const asked = new AbortController();
  const parent = process.ppid;
  const launchers = launchersOf(parent, look);
  const watch = setInterval(() => {
    if (process.ppid !== parent || !launchers.every(isThere)) end();
  }, PARENT_CHECK_MS);
  watch.unref();
  const end = () => {
    clearInterval(watch);
    asked.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  return asked.signal;
}

/**
 * The processes above `pid` up to the package manager that was started by a person; none when there is no such one near,
 * because a shell that a person works in may end before us.
 */
export function launchersOf(pid: number, parentAndTitle: (pid: number) => [number, string] | undefined): number[] {
  const above: number[] = [];
  for (let one = pid; one > 1 && above.length < LAUNCHERS_MAX; ) {
    const seen = parentAndTitle(one);
    if (!seen) break;
    above.push(one);
    if (/^(\S*\/)?(npm|pnpm|yarn)\b|\/(npm|pnpm|yarn)(-cli)?(\.c?js)?\s/.test(seen[1])) return above;
    one = seen[0];
  }
  return [];
}

/** The parent of a process and its title; of one that just ended, nothing. */
function look(pid: number): [number, string] | undefined {
  let line: string;
  try {
    line = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined; // gone, or a system without ps: the direct parent is watched in any case
  }
  const [, parent = '', title = ''] = /^\s*(\d+)\s+(.*)$/m.exec(line) ?? [];
  return [Number(parent), title];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
