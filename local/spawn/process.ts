/** A process is named by pid and start time together: pids are reused, start times are not. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { systemCode } from '../error/index.ts';

let boot: string | undefined;

/**
 * When a process started, as an opaque text that two looks at the same process agree on, or `undefined` when there is
 * no such process. On Linux boot and clock ticks, elsewhere what `ps` prints. A zombie has ended.
 */
export function processStartTime(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Whether the process that had this pid and start time still runs. */
export function isAlive(pid: number, start: string): boolean {
  return processStartTime(pid) === start;
}

/** Fields after the command, which may itself hold spaces and brackets: state is the first, start time the twentieth. */
function fromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH') return undefined;
    throw error;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot}:${fields[19]}`;
}

function fromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return line === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch (error) {
    if (systemCode(error)) throw error; // ps itself is missing
    return undefined; // ps ends with 1 for an unknown pid
  }
}
