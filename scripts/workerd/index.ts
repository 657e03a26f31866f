/** Runs one bundled Worker straight in workerd, on loopback, and tells where it listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { type WorkerConfig, workerdConfig } from './config.ts';

export interface WorkerdOptions extends Omit<WorkerConfig, 'modules' | 'address' | 'storage'> {
  /** Absolute path of the bundle; text modules that it imports lie beside it. */
  entry: string;
  textModules?: readonly string[];
  /** Directory for the configuration file. The bundle must lie below its parent, as workerd embeds by relative path. */
  configDir: string;
  /** Absolute directory of the objects' databases, or null for memory. */
  storage: string | null;
  port: number;
  /** End workerd when this process is gone, also when it was killed outright. */
  endsWithParent?: boolean;
  /** Where workerd's own lines go; default: dropped unless it fails to start. */
  onLine?: (line: string) => void;
}

export interface Workerd {
  origin: string;
  process: ChildProcess;
  /** Ends workerd and waits for it. */
  close(): Promise<void>;
}

/** Starts workerd. Rejects with its own words when it cannot start, for example when the port is taken. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  mkdirSync(options.configDir, { recursive: true, mode: 0o700 });
  if (options.storage !== null) mkdirSync(options.storage, { recursive: true, mode: 0o700 });
  const file = join(options.configDir, 'workerd.capnp');
  const here = (path: string) => relative(options.configDir, path);
  writeFileSync(
    file,
    workerdConfig({
      ...options,
      address: `127.0.0.1:${options.port}`,
      modules: [
        { name: 'worker.js', path: here(options.entry), type: 'esModule' },
        ...(options.textModules ?? []).map(
          (path) => ({ name: relative(dirname(options.entry), path), path: here(path), type: 'text' }) as const,
        ),
      ],
    }),
    { mode: 0o600 },
  );
  const command = [workerdBinary(), 'serve', file, '--control-fd=3'] as const;
  const [program, ...args] = options.endsWithParent ? (['/bin/sh', '-c', GUARD, 'sh', ...command] as const) : command;
  const child = spawn(program, args, {
    cwd: options.configDir,
    detached: true, // Ctrl-C at a terminal is for whoever started us; the order of ending is theirs
    stdio: [options.endsWithParent ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n').filter((part) => part !== '')) {
        said.push(line);
        if (said.length > 50) said.shift();
        options.onLine?.(line);
      }
    });
  }
  const port = await listeningPort(child, said);
  return {
    origin: `http://127.0.0.1:${port}`,
    process: child,
    close: () => endChild(child),
  };
}

/**
 * workerd knows nothing of a parent. This shell holds the reading end of a pipe whose writing end only we have: when we
 * are gone the read ends, and workerd is told to end. It would go on for its last client, serving nobody and holding the
 * port, so soon it is ended. The shell passes on signals, and ends as workerd ends. What workerd writes is for this user
 * only, as everything in a state folder is: it takes the mode of its files from the umask.
 */
const GUARD = `
umask 077
exec 4<&0 0</dev/null
"$@" 4<&- & child=$!
{ read -r _ <&4; kill -TERM "$child"; sleep 2; kill -KILL "$child"; } 3>&- 2>/dev/null & watch=$!
exec 3>&- 4<&-
trap 'kill -TERM "$child"' TERM INT HUP
wait "$child"; code=$?
if [ "$code" -gt 128 ]; then wait "$child"; code=$?; fi
kill "$watch" 2>/dev/null
exit "$code"
`;

/** The absolute path of workerd's binary as its package installs it. */
function workerdBinary(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('wrangler/package.json'));
  const name = `@cloudflare/workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}`;
  return require.resolve(`${name}/bin/workerd`);
}

function listeningPort(child: ChildProcess, said: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    (child.stdio[3] as Readable).setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const line of text.split('\n')) {
        const port = /"event"\s*:\s*"listen".*"port"\s*:\s*(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(Number(port));
      }
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`workerd ended with ${signal ?? code} before it listened: ${said.slice(-5).join(' | ')}`)),
    );
  });
}

/** SIGTERM, then SIGKILL for a workerd that does not listen; resolves when the process is gone. */
function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const hard = setTimeout(() => signalGroup(child, 'SIGKILL'), 2000);
    child.once('exit', () => {
      clearTimeout(hard);
      resolve();
    });
    signalGroup(child, 'SIGTERM');
  });
}

/** It leads a group: with it ends its guard, or what the guard runs. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
