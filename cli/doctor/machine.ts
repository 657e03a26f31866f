/** What this machine must have: Node, Git, a state folder that is only ours, ports, and a clock. */
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { readConfig } from '../../local/config/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { run } from '../../local/spawn/index.ts';
import { requireNode } from '../../local/version/index.ts';
import { readObserved } from '../../runtime-a-b/generations/index.ts';
import { counted } from '../terminal/index.ts';
import type { Check } from './check.ts';

/** Of the installed product, unless config.json names others. */
const PORTS = { a: 8772, b: 8773 } as const;
/** How long a loopback port may take to answer a connection, in ms. */
const CONNECT_MS = 2_000;
/** Offending files that are named; the number says how many more. */
const NAMED_MAX = 5;

export const MACHINE: readonly Check[] = [
  {
    name: 'node',
    after: [],
    look: async () => {
      requireNode();
      return `${process.versions.node} (${process.execPath})`;
    },
  },
  {
    name: 'git',
    after: [],
    look: async () => (await run('git', ['--version'])).stdout.toString('utf8').trim(),
  },
  {
    name: 'state folder',
    after: [],
    look: async (env) => ensurePrivateDir(resolveStateDir(env)),
  },
  {
    name: 'files',
    after: ['state folder'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const { open, foreign } = unsafeFiles(stateDir);
      if (foreign.length > 0) {
        throw new LocalError(
          'files_foreign',
          `Other users own, or links stand for, ${named(foreign)} in the state folder.`,
          `Look where they come from, then: sudo chown -R "$(id -un)" ${stateDir}`,
        );
      }
      if (open.length === 0) return 'only you can read what lies in the state folder';
      throw new LocalError('files_open', `Other users can read ${named(open)}.`, `chmod -R go-rwx ${stateDir}`);
    },
    fix: async (env) => {
      const { open } = unsafeFiles(resolveStateDir(env));
      for (const path of open) chmodSync(path, lstatSync(path).mode & 0o700);
      return open.length === 0 ? undefined : `took the rights of others from ${counted(open.length, 'file')}`;
    },
  },
  {
    name: 'configuration',
    after: ['state folder'],
    look: async (env) => {
      const keys = Object.keys(await readConfig(statePaths(resolveStateDir(env)).config));
      return keys.length === 0 ? 'nothing set, defaults apply' : `sets ${keys.join(', ')}`;
    },
  },
  {
    name: 'ports',
    after: ['configuration'],
    look: async (env) => {
      const stateDir = resolveStateDir(env);
      const { runtime } = await readConfig(statePaths(stateDir).config);
      const { up, observed } = await readObserved(stateDir);
      const runs = new Set(up ? observed?.children.filter((child) => child.process).map(({ name }) => name) : []);
      const wanted = { a: runtime?.port ?? PORTS.a, b: runtime?.candidate_port ?? PORTS.b };
      if (up?.name === 'start') return `npm start takes free ones; ${wanted.a} and ${wanted.b} are not looked at`;
      for (const generation of ['a', 'b'] as const) {
        const port = wanted[generation];
        if (runs.has(`runtime-${generation}`) || !(await isTaken(port))) continue;
        throw new LocalError(
          'port_taken',
          `Port ${port}, which generation ${generation} needs, is held by another program.`,
          `End it (lsof -iTCP:${port} -sTCP:LISTEN names it), or set runtime.${generation === 'a' ? 'port' : 'candidate_port'} in config.json.`,
        );
      }
      return `${wanted.a} and ${wanted.b} are free or ours`;
    },
  },
];

/** Files below the state folder that others could read, and those that are not ours. Sockets and exec output included. */
function unsafeFiles(stateDir: string): { open: string[]; foreign: string[] } {
  const open: string[] = [];
  const foreign: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats) continue; // a lock or a temporary file that has gone meanwhile
      if (process.getuid && stats.uid !== process.getuid()) foreign.push(path);
      else if (!stats.isSymbolicLink() && (stats.mode & 0o077) !== 0) open.push(path);
      // Programs are no secrets; their folder is closed, which is looked at, and what is in it is read-only for anybody.
      if (entry.isDirectory() && !PROGRAMS.has(entry.name)) visit(path);
    }
  };
  visit(stateDir);
  return { open, foreign };
}

const PROGRAMS: ReadonlySet<string> = new Set(['releases', 'revisions']);

const named = (paths: readonly string[]): string =>
  `${paths.slice(0, NAMED_MAX).join(', ')}${paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : ''}`;

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1', timeout: CONNECT_MS });
    const end = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(true)); // something listens and is busy
    socket.once('error', () => end(false));
  });
}
