/** Looks at the processes of a run in /proc: who they are, what they weigh, and whether any is left. Linux only. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The parts that live as long as the product, and everything that callers and panes start. */
export type Role = 'npm start' | 'edge' | 'link' | 'runtime' | 'Herdr' | 'native host' | 'other';

export interface Seen {
  pid: number;
  role: Role;
  command: string;
  rssMb: number;
  fds: number;
  threads: number;
}

const ROLES: readonly (readonly [RegExp, Role])[] = [
  [/ \S*scripts\/start\.ts /, 'npm start'],
  [/^\S*workerd serve /, 'edge'],
  [/ \S*herdr-link\.js /, 'link'],
  [/ \S*runtime\.js /, 'runtime'],
  [/ \S*embedded-herdr\.js /, 'Herdr'],
  [/ \S*herdr-native-host\.\S*js /, 'native host'],
];

/** Every process but this one that names `folder` in its arguments or environment, or works below it. */
export function processesIn(folder: string): Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        return look(pid, folder);
      } catch {
        return []; // it ended meanwhile, or belongs to somebody else
      }
    });
}

function look(pid: string, folder: string): Seen[] {
  const at = (name: string) => join('/proc', pid, name);
  const command = readFileSync(at('cmdline'), 'utf8').replaceAll('\0', ' ');
  const isOurs =
    command.includes(folder) ||
    readFileSync(at('environ'), 'utf8').includes(folder) ||
    readlinkSync(at('cwd')).startsWith(folder);
  const status = readFileSync(at('status'), 'utf8');
  if (!isOurs || command === '' || field(status, 'State').startsWith('Z')) return [];
  return [
    {
      pid: Number(pid),
      role: ROLES.find(([pattern]) => pattern.test(command))?.[1] ?? 'other',
      command: command.trim(),
      rssMb: Number.parseInt(field(status, 'VmRSS'), 10) / 1024,
      fds: readdirSync(at('fd')).length,
      threads: Number.parseInt(field(status, 'Threads'), 10),
    },
  ];
}

function field(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

/** Bytes below a folder, by its first level; `-wal` and `-shm` files count apart from their database. */
export function sizesOf(folder: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) sizes[`${entry.name}/`] = Object.values(sizesOf(path)).reduce((sum, n) => sum + n, 0);
      else if (entry.isFile()) sizes[entry.name] = statSync(path).size;
    } catch {
      // it was removed meanwhile
    }
  }
  return sizes;
}
