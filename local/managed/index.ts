/**
 * Whether this process runs inside a command that a web AI started through this workstation. What changes services, or
 * cuts the way that such a command came, must not run there: it would end what it hangs on (runtime lesson 66).
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { LocalError } from '../error/index.ts';

/** In the environment of every command that the runtime starts; `runtime-a-b/exec` sets it. */
const MARK = 'HERDR_MCP_EXEC_ID';

/** How far up it is looked: shells, a multiplexer, npm and its shell are a handful. */
const ANCESTORS_MAX = 32;

/** The environment and the parent of a process, as far as they can be seen. */
export type Look = (pid: number) => { environ: string | undefined; parent: number } | undefined;

/** The session's id when this process, or any above it, was started by the runtime; else `undefined`. */
export function managedSession(
  env: Readonly<Record<string, string | undefined>>,
  look: Look = lookAt,
): string | undefined {
  if (env[MARK]) return env[MARK];
  let pid = process.ppid;
  for (let turn = 0; turn < ANCESTORS_MAX && pid > 1; turn += 1) {
    const seen = look(pid);
    if (!seen) return undefined;
    const found = seen.environ?.match(new RegExp(`(?:^|[\\0\\s])${MARK}=([^\\0\\s]+)`))?.[1];
    if (found !== undefined) return found;
    pid = seen.parent;
  }
  return undefined;
}

/** Throws when this process is part of such a session; `what` begins the sentence: `herdr-mcp install`. */
export function refuseInManagedSession(
  what: string,
  env: Readonly<Record<string, string | undefined>>,
  look: Look = lookAt,
): void {
  const session = managedSession(env, look);
  if (session === undefined) return;
  throw new LocalError(
    'managed_session',
    `${what} was started by a web AI through this workstation (session ${session}) and would cut its own way; nothing was changed.`,
    'Run it in a terminal of your own.',
  );
}

function lookAt(pid: number): ReturnType<Look> {
  if (process.platform !== 'linux') return fromPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return { parent, environ: environOf(pid) };
  } catch {
    return undefined; // it ended, or belongs to somebody else: nothing above it is ours
  }
}

function environOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return undefined; // another user's
  }
}

/** macOS shows the environment of one's own processes after their arguments. */
function fromPs(pid: number): ReturnType<Look> {
  try {
    const line = execFileSync('ps', ['-Eww', '-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, parent, rest] = /^\s*(\d+)\s+(.*)$/s.exec(line) ?? [];
    return parent === undefined ? undefined : { parent: Number(parent), environ: rest };
  } catch {
    return undefined;
  }
}
