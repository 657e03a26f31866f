/**
 * Where the extension's socket may be bound. A path in a real folder that is free or holds a dead socket of ours; a link,
 * a file, a foreign or a live socket is left as it is (reference/runtime.md 3.6).
 */
import type { Stats } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { LocalError, systemCode } from '../../../local/error/index.ts';
import { ensurePrivateDir, listenPrivately, removeFound, statOrNothing } from '../../../local/files/index.ts';
import { assertSocketPath } from '../../../local/paths/index.ts';
import { patience } from '../../../local/patience/index.ts';
import { EXTENSION_SOCKET_PROBE_MS } from '../../limits.ts';

/** Somebody else serves the path: most often the generation before this one, which will end. */
export const SOCKET_LIVE = 'extension_socket_live';

/** Listens at the path, mode 0600, and gives what removes the file again while it is still ours. Throws a `LocalError`. */
export async function listenAt(server: Server, path: string): Promise<() => void> {
  assertSocketPath(path);
  ensurePrivateDir(dirname(path));
  await clearPlace(path);
  const release = await listenPrivately(server, path, assertSocketPath(`${path}.${process.pid.toString(36)}`));
  if (release === null) throw live(path);
  return release;
}

async function clearPlace(path: string): Promise<void> {
  const found = statOrNothing(path);
  if (!found) return;
  const problem = whyNotOurs(found);
  if (problem) {
    throw new LocalError('extension_socket_refused', `${path} ${problem}; it was left as it is.`, 'Remove it by hand.');
  }
  if (await isServed(path)) throw live(path);
  removeFound(path, found);
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
      waiting.end();
      socket.destroy();
      resolve(served);
    };
    const waiting = patience(EXTENSION_SOCKET_PROBE_MS, () => settle(true));
    socket.once('connect', () => settle(true));
    socket.once('error', (error) => settle(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')));
  });
}
