/**
 * Where the extension's socket may be bound. A path in a real folder that is free or holds a dead socket of ours; a link,
 * a file, a foreign or a live socket is left as it is (reference/runtime.md 3.6).
 */
import { chmodSync, linkSync, lstatSync, type Stats, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { LocalError, systemCode } from '../../../local/error/index.ts';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { assertSocketPath } from '../../../local/paths/index.ts';
import { EXTENSION_SOCKET_PROBE_MS } from '../../limits.ts';

/** Somebody else serves the path: most often the generation before this one, which will end. */
export const SOCKET_LIVE = 'extension_socket_live';

/** Listens at the path, mode 0600, and gives what removes the file again while it is still ours. Throws a `LocalError`. */
export async function listenAt(server: Server, path: string): Promise<() => void> {
  assertSocketPath(path);
  ensurePrivateDir(dirname(path));
  await clearPlace(path);
  // Bound under another name and linked into place: the path appears whole and never replaces what came meanwhile.
  const making = assertSocketPath(`${path}.${process.pid.toString(36)}`);
  if (statOrNothing(making)?.isSocket()) unlinkSync(making);
  await bind(server, making);
  try {
    chmodSync(making, 0o600);
    linkSync(making, path);
  } catch (error) {
    server.close();
    if (systemCode(error) !== 'EEXIST') throw error;
    throw live(path);
  } finally {
    // Node removes what it bound by name when it closes; that name is gone then, and the path is ours to judge.
    unlinkSync(making);
  }
  const ours = lstatSync(path);
  return () => {
    const now = statOrNothing(path);
    if (now && sameFile(now, ours)) unlinkSync(path);
  };
}

async function clearPlace(path: string): Promise<void> {
  const found = statOrNothing(path);
  if (!found) return;
  const problem = whyNotOurs(found);
  if (problem) {
    throw new LocalError('extension_socket_refused', `${path} ${problem}; it was left as it is.`, 'Remove it by hand.');
  }
  if (await isServed(path)) throw live(path);
  const still = statOrNothing(path);
  if (still && sameFile(still, found)) unlinkSync(path);
}

function whyNotOurs(found: Stats): string | undefined {
  if (found.isSymbolicLink()) return 'is a symlink';
  if (!found.isSocket()) return 'exists and is no socket';
  if (process.getuid && found.uid !== process.getuid()) return 'belongs to another user';
  return undefined;
}

const live = (path: string) =>
  new LocalError(SOCKET_LIVE, `${path} is served by another process; it was left alone.`, 'Stop that process.');

/** Only a refusal proves that nobody is there; silence and every other error leave the socket alone. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (served: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(served);
    };
    const timer = setTimeout(() => settle(true), EXTENSION_SOCKET_PROBE_MS);
    socket.once('connect', () => settle(true));
    socket.once('error', (error) => settle(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')));
  });
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The file is made by this very call, so it never exists with a wider mode.
    const before = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}

function statOrNothing(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

const sameFile = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino;
