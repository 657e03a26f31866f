/**
 * Which processes belong to a session, also those that left its process group (`setsid`, `nohup`, a double fork): all
 * inherited the mark in their environment. Linux tells it in `/proc`; elsewhere `ps` shows the environment of one's own.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { systemCode } from '../../local/error/index.ts';
import { echo } from '../echo.ts';

export const MARK = 'HERDR_MCP_EXEC_ID';

export interface MarkedProcess {
  pid: number;
  group: number;
  command: string;
  /** When it was forked, in ms since the machine started; undefined where the system does not tell. */
  startedMs?: number;
}

/** A process as answers list it. */
export interface Survivor {
  pid: number;
  /** Its command line, or the beginning of a long one. */
  command: string;
  /** TCP ports on which it listens. */
  ports?: number[];
}

/** Living processes that carry the session's mark. Zombies have ended and are left out. */
export function markedProcesses(id: string, name: string = MARK): MarkedProcess[] {
  return everyMarked(name).get(id) ?? [];
}

/** The same of all sessions at once, in one look at the system: whoever asks for many must not look once for each. */
export function everyMarked(name: string = MARK): ReadonlyMap<string, MarkedProcess[]> {
  const found = new Map<string, MarkedProcess[]>();
  for (const [id, one] of process.platform === 'linux' ? fromProc(name) : fromPs(name)) {
    found.set(id, [...(found.get(id) ?? []), one]);
  }
  return found;
}

/** Whether this pid still is the wrapper of this session: its arguments name it. */
export function isWrapper(pid: number, id: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (process.platform !== 'linux') return psLine(pid)?.includes(`herdr-mcp-exec:${id}`) ?? false;
  const line = readProc(pid, 'cmdline');
  return line?.includes(`herdr-mcp-exec:${id}\0`) === true && stateOf(pid)?.state !== 'Z';
}

/** The wrapper of a session, found by mark and name; undefined when it is gone. */
export function findWrapper(id: string): number | undefined {
  return markedProcesses(id).find((each) => each.pid === each.group && isWrapper(each.pid, id))?.pid;
}

/** Adds to each process the ports on which it listens, where the system tells. */
export function withPorts(processes: readonly MarkedProcess[]): Survivor[] {
  if (processes.length === 0) return [];
  const listening = process.platform === 'linux' ? listeningSockets() : new Map<string, number>();
  return processes.map(({ pid, command }) => {
    const ports = process.platform === 'linux' ? portsOf(pid, listening) : portsFromLsof(pid);
    return { pid, command: echo(command), ...(ports.length === 0 ? {} : { ports }) };
  });
}

type Marked = readonly [id: string, process: MarkedProcess];

function fromProc(name: string): Marked[] {
  const entry = new RegExp(`\\0${name}=([^\\0]*)\\0`);
  const found: Marked[] = [];
  for (const folder of readdirSync('/proc')) {
    if (!/^\d+$/.test(folder)) continue;
    const pid = Number(folder);
    const id = entry.exec(`\0${readProc(pid, 'environ') ?? ''}`)?.[1];
    if (id === undefined) continue;
    const stat = stateOf(pid);
    if (stat === undefined || stat.state === 'Z' || stat.state === 'X') continue;
    const command = readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim();
    const shown = command === undefined || command === '' ? stat.name : command;
    found.push([id, { pid, group: stat.group, command: shown, startedMs: stat.startedMs }]);
  }
  return found;
}

/** The kernel counts start times in hundredths of a second, whatever its own clock (USER_HZ). */
const TICK_OF_CLOCK_MS = 10;

function stateOf(pid: number): { state: string; group: number; name: string; startedMs: number } | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  const close = stat.lastIndexOf(')');
  const fields = stat.slice(close + 2).split(' ');
  return {
    state: fields[0] ?? 'X',
    group: Number(fields[2]),
    name: stat.slice(stat.indexOf('(') + 1, close),
    startedMs: Number(fields[19]) * TICK_OF_CLOCK_MS,
  };
}

/** Ms since the machine started, on the clock of {@link MarkedProcess.startedMs}; undefined where there is none. */
export function machineMs(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;
}

/** Undefined for a process that is gone or is not ours to look at. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** inode → port of every listening TCP socket (state 0A). */
function listeningSockets(): Map<string, number> {
  const found = new Map<string, number>();
  for (const table of ['tcp', 'tcp6']) {
    const text = readProc('self' as unknown as number, `net/${table}`);
    for (const line of text?.split('\n').slice(1) ?? []) {
      const fields = line.trim().split(/\s+/);
      const port = fields[1]?.split(':')[1];
      if (fields[3] === '0A' && port !== undefined && fields[9] !== undefined)
        found.set(fields[9], Number.parseInt(port, 16));
    }
  }
  return found;
}

function portsOf(pid: number, listening: ReadonlyMap<string, number>): number[] {
  const ports = new Set<number>();
  let descriptors: string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return []; // gone meanwhile, or another user's: then its ports are not known
  }
  for (const fd of descriptors) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      const port = inode === undefined ? undefined : listening.get(inode);
      if (port !== undefined) ports.add(port);
    } catch {
      // closed meanwhile
    }
  }
  return [...ports].sort((a, b) => a - b);
}

const PS_ENV = { PATH: '/usr/bin:/bin:/usr/sbin', LC_ALL: 'C' };

function fromPs(name: string): Marked[] {
  const entry = new RegExp(` ${name}=(\\S*)(?= )`);
  const output = execFileSync('ps', ['-axEww', '-o', 'pid=,pgid=,stat=,command='], {
    encoding: 'utf8',
    env: PS_ENV,
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    const id = entry.exec(` ${match?.[4] ?? ''} `)?.[1];
    if (match === null || id === undefined || match[3]?.startsWith('Z')) return [];
    const command = (match[4] ?? '').split(/ [A-Z_]+=/)[0] ?? '';
    return [[id, { pid: Number(match[1]), group: Number(match[2]), command }]];
  });
}

function psLine(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      env: PS_ENV,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined; // ps ends with 1 for an unknown pid
  }
}

function portsFromLsof(pid: number): number[] {
  try {
    const output = execFileSync('lsof', ['-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-P', '-n', '-Fn'], {
      encoding: 'utf8',
      env: PS_ENV,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set([...output.matchAll(/^n.*:(\d+)$/gm)].map((match) => Number(match[1])))];
  } catch {
    return []; // lsof ends with 1 when there is none
  }
}
