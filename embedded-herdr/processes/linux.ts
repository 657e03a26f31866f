import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ProcessFacts, ProcessTable } from './table.ts';

interface Stat {
  pid: number;
  name: string;
  state: string;
  pgid: number;
  session: number;
  foreground: number;
}

const readOrNothing = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone, or another user's: both mean that we do not know it.
    return undefined;
  }
};

/** Reads `/proc/<pid>/stat`. The name stands in parentheses and may itself hold parentheses and spaces. */
export function parseStat(text: string): Stat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const rest = text.slice(close + 2).split(' ');
  const [state, , pgid, session, , foreground] = rest;
  if (state === undefined || foreground === undefined) return undefined;
  return {
    pid: Number(text.slice(0, open).trim()),
    name: text.slice(open + 1, close),
    state,
    pgid: Number(pgid),
    session: Number(session),
    foreground: Number(foreground),
  };
}

const statOf = (pid: number): Stat | undefined => {
  const text = readOrNothing(`/proc/${pid}/stat`);
  const stat = text === undefined ? undefined : parseStat(text);
  return stat && stat.state !== 'Z' && stat.state !== 'X' ? stat : undefined;
};

function facts(stat: Stat): ProcessFacts {
  const argv = (readOrNothing(`/proc/${stat.pid}/cmdline`) ?? '').split('\0');
  if (argv.at(-1) === '') argv.pop();
  const hint = /(?:^|\0)HERDR_AGENT=([^\0]+)/.exec(readOrNothing(`/proc/${stat.pid}/environ`) ?? '')?.[1];
  return { pid: stat.pid, name: stat.name, argv, ...(hint === undefined ? {} : { agentHint: hint }) };
}

/** Linux's `/proc`, read directly. One reading of the whole list serves every pane for `listMs`. */
export function linuxProcesses(now: () => number, listMs: number): ProcessTable {
  let listed: Stat[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  const list = (): Stat[] => {
    if (now() - listedAt >= listMs) {
      listed = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((name) => statOf(Number(name)) ?? []);
      listedAt = now();
    }
    return listed;
  };
  return {
    async refresh() {},
    foregroundGroup(leader) {
      const group = statOf(leader)?.foreground;
      return group !== undefined && group > 0 ? group : undefined;
    },
    group: (pgid) =>
      list()
        .filter((stat) => stat.pgid === pgid)
        .sort((a, b) => Number(b.pid === pgid) - Number(a.pid === pgid) || a.pid - b.pid)
        .map(facts),
    session(leader) {
      listedAt = Number.NEGATIVE_INFINITY;
      return list().flatMap((stat) => (stat.session === leader ? [stat.pid] : []));
    },
    isAlive: (pid) => statOf(pid) !== undefined,
    cwd(pid) {
      try {
        return readlinkSync(`/proc/${pid}/cwd`);
      } catch {
        return undefined;
      }
    },
  };
}
