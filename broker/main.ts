/**
 * The folder broker: `herdr-broker --state-dir DIR [--folder DIR …] [--replace]`. Without `--folder` it serves what the
 * configuration and the system protect. A service starts it like that, once, and leaves it alone.
 *
 * It holds the permission to read the folders that the system guards (Documents, Desktop, Downloads on macOS) or that
 * the configuration names, is started once and never rotated: runtimes of any generation ask it over a private socket.
 * It reads, and only below its own folders; it changes nothing and runs nothing but git and rg.
 */
import { chownSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { homedir } from 'node:os';
import { BROKER_REVISION } from '../contract/broker.ts';
import { readOptions } from '../local/arguments/index.ts';
import { protectedFolders, readConfig } from '../local/config/index.ts';
import { LocalError, systemCode } from '../local/error/index.ts';
import { assertSocketPath, statePaths } from '../local/paths/index.ts';
import { requireNode } from '../local/version/index.ts';

const USAGE = 'usage: herdr-broker --state-dir DIR [--folder DIR ...] [--replace]';

async function main(): Promise<number> {
  requireNode();
  const given = options();
  if (given === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { createReading } = await import('../runtime-a-b/tools/reading/index.ts');
  const { serve } = await import('./serve.ts');
  const read = createReading({ homeDir: homedir(), folders: (await foldersOf(given)).map(canonical), nowMs: Date.now });
  const path = assertSocketPath(statePaths(given.stateDir).brokerSocket);
  if (!given.replace && (await answers(path))) {
    throw new LocalError('broker_runs', `A broker serves ${path} already.`, 'Give --replace to take its place.');
  }
  rmSync(path, { force: true });
  const server = createServer((socket) => serve(socket, read));
  await listen(server, path, given.stateDir);
  const own = statSync(path).ino;
  process.stdout.write(`${JSON.stringify({ ready: true, revision: BROKER_REVISION, pid: process.pid })}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  // The path may be a successor's by now.
  if (statSync(path, { throwIfNoEntry: false })?.ino !== own) return 0;
  server.close();
  return 0;
}

function options() {
  const text = { type: 'string' } as const;
  const values = readOptions({ 'state-dir': text, folder: { ...text, multiple: true }, replace: { type: 'boolean' } });
  const { 'state-dir': stateDir, folder: folders = [], replace = false } = values ?? {};
  return stateDir ? { stateDir, folders, replace } : undefined;
}

async function foldersOf({ stateDir, folders }: { stateDir: string; folders: string[] }): Promise<string[]> {
  if (folders.length > 0) return folders;
  const { policy = {} } = await readConfig(statePaths(stateDir).config);
  const { platform, env } = process;
  const found = protectedFolders(policy, { homeDir: homedir(), platform, list: env['HERDR_MCP_PROTECTED_FOLDERS'] });
  const there = found.filter((folder) => statSync(folder, { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) return there;
  const how = 'Name one in config.json (policy.protected_folders).';
  throw new LocalError('folder_missing', 'No folder is protected here, so there is nothing to serve.', how);
}

function canonical(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    const why = systemCode(error) ?? 'unknown reason';
    throw new LocalError('folder_missing', `${folder} cannot be served (${why}).`, 'Name an existing folder.', error);
  }
}

/** Private from its first moment, and the state folder's owner's: the runtime may be another user than the broker. */
async function listen(server: Server, path: string, stateDir: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
  }
  const { uid, gid } = statSync(stateDir);
  if (uid !== process.getuid?.()) chownSync(path, uid, gid);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (!(error instanceof LocalError)) throw error;
    process.stderr.write(`${error.sentence}\n`);
    process.exit(1);
  },
);
