import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { MACOS_ASK_BYTES, MACOS_ASK_MS } from '../limits.ts';
import type { ProcessFacts, ProcessTable } from './table.ts';

interface Row {
  pid: number;
  pgid: number;
  foreground: number;
  tty: string;
  command: string;
  argv: string[];
}

/** Reads `ps -axww -o pid=,pgid=,tpgid=,tty=,state=,command=`; zombies are left out. */
export function parsePs(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(.*)$/.exec(line);
    if (!match?.[6] || match[5]?.startsWith('Z')) return [];
    const argv = match[6].split(' ');
    return [
      {
        pid: Number(match[1]),
        pgid: Number(match[2]),
        foreground: Number(match[3]),
        tty: match[4] ?? '',
        command: basename((argv[0] ?? '').replace(/^-/, '')),
        argv,
      },
    ];
  });
}

/** Reads `lsof -Fpn`: a line `p<pid>`, then `n<path>`. */
export function parseLsofCwd(text: string): Map<number, string> {
  const found = new Map<number, string>();
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    else if (line.startsWith('n')) found.set(pid, line.slice(1));
  }
  return found;
}

const output = (file: string, args: string[]): Promise<string> =>
  new Promise((resolve) => {
    // lsof exits 1 when one of the pids is gone and still prints the others.
    execFile(file, args, { maxBuffer: MACOS_ASK_BYTES, timeout: MACOS_ASK_MS }, (_error, stdout) => resolve(stdout));
  });

/**
 * macOS has no `/proc`: one `ps` serves every pane, and directories come from one `lsof` over the processes that were
 * asked for. Sessions are told by their terminal, since macOS's `ps` prints no usable session id. An agent hint is
 * read with `ps -E` for groups that are not plain shells.
 */
export function macosProcesses(now: () => number, listMs: number, cwdMs: number): ProcessTable {
  let rows = new Map<number, Row>();
  let listedAt = Number.NEGATIVE_INFINITY;
  let cwds = new Map<number, string>();
  let cwdsAt = Number.NEGATIVE_INFINITY;
  const asked = new Set<number>();
  const hints = new Map<number, string | undefined>();
  const wantHint = new Set<number>();

  const readHints = async (): Promise<void> => {
    for (const pid of wantHint) {
      const text = await output('ps', ['-Eww', '-p', String(pid), '-o', 'command=']);
      hints.set(pid, /\sHERDR_AGENT=(\S+)/.exec(text)?.[1]);
    }
    wantHint.clear();
    for (const pid of hints.keys()) if (!rows.has(pid)) hints.delete(pid);
  };
  const facts = (row: Row): ProcessFacts => {
    if (!hints.has(row.pid)) wantHint.add(row.pid);
    const hint = hints.get(row.pid);
    return { pid: row.pid, name: row.command, argv: row.argv, ...(hint === undefined ? {} : { agentHint: hint }) };
  };

  return {
    async refresh() {
      if (now() - listedAt >= listMs) {
        listedAt = now();
        const text = await output('ps', ['-axww', '-o', 'pid=,pgid=,tpgid=,tty=,state=,command=']);
        rows = new Map(parsePs(text).map((row) => [row.pid, row]));
        await readHints();
      }
      if (asked.size > 0 && now() - cwdsAt >= cwdMs) {
        cwdsAt = now();
        const pids = [...asked].filter((pid) => rows.has(pid));
        asked.clear();
        if (pids.length > 0) cwds = parseLsofCwd(await output('lsof', ['-a', '-d', 'cwd', '-p', pids.join(), '-Fpn']));
      }
    },
    foregroundGroup(leader) {
      const group = rows.get(leader)?.foreground;
      return group !== undefined && group > 0 ? group : undefined;
    },
    group: (pgid) =>
      [...rows.values()]
        .filter((row) => row.pgid === pgid)
        .sort((a, b) => Number(b.pid === pgid) - Number(a.pid === pgid) || a.pid - b.pid)
        .map(facts),
    session(leader) {
      const tty = rows.get(leader)?.tty;
      if (tty === undefined || tty === '??') return [leader];
      return [...rows.values()].flatMap((row) => (row.tty === tty ? [row.pid] : []));
    },
    isAlive: (pid) => rows.has(pid),
    cwd(pid) {
      asked.add(pid);
      return cwds.get(pid);
    },
  };
}
