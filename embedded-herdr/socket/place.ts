import { mkdirSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { listenPrivately, removeFound, statOrNothing } from '../../local/files/index.ts';
import { assertSocketPath } from '../../local/paths/index.ts';
import { patience } from '../../local/patience/index.ts';
import { LIVE_SOCKET_PROBE_MS } from '../limits.ts';

/** Why a socket cannot be served at a path. It says what was found there and that it was left alone. */
export class SocketRefused extends Error {}

/**
 * Whether somebody is at a socket: `live`, or `stale` when the system itself says that nobody is. A server that is only
 * slow refuses nobody: no answer in time, a full queue and any other failure prove nothing, and throw.
 */
function probeSocket(path: string, timeoutMs: number): Promise<'live' | 'stale'> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const settle = (then: () => void): void => {
      waiting.end();
      socket.destroy();
      then();
    };
    const unclear = (why: string): void => reject(new SocketRefused(cannotTell(path, why)));
    const waiting = patience(timeoutMs, () => settle(() => unclear('no answer in time')));
    socket.once('connect', () => settle(() => resolve('live')));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      settle(() => {
        if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve('stale');
        else unclear(error.code ?? error.message);
      }),
    );
  });
}

const cannotTell = (path: string, why: string): string =>
  `${path} may belong to a server that is only slow (${why}); it was left as it is. Stop that server, or choose another path.`;

/** Makes room at the path: a socket of ours that nobody serves is deleted, anything else is left and refused. */
async function clearPlace(path: string, uid: number | undefined): Promise<void> {
  const found = statOrNothing(path);
  if (!found) return;
  if (found.isSymbolicLink()) {
    throw new SocketRefused(
      `${path} is a symbolic link; a socket is never served through one. Remove it, or choose another path.`,
    );
  }
  if (!found.isSocket()) {
    throw new SocketRefused(`${path} exists and is no socket; it was left as it is. Choose another path.`);
  }
  if (uid !== undefined && found.uid !== uid) {
    throw new SocketRefused(`${path} belongs to another user; it was left as it is. Choose another path.`);
  }
  if ((await probeSocket(path, LIVE_SOCKET_PROBE_MS)) === 'live') {
    throw new SocketRefused(
      `another server already answers at ${path}; it was left alone. Stop it, or choose another path.`,
    );
  }
  removeFound(path, found);
}

/**
 * Lets a server listen at a path, with mode 0600. The socket is made under another name and then linked into place: it
 * appears whole, never replaces anything, and the answer removes it only while it is still ours.
 * Throws a `LocalError` for a path that is too long, and `SocketRefused` for a link, somebody else's file, or a live server.
 */
export async function serveAt(server: Server, path: string): Promise<() => void> {
  assertSocketPath(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await clearPlace(path, process.getuid?.());
  const release = await listenPrivately(server, path, join(dirname(path), `.h${process.pid.toString(36)}`));
  if (release === null) throw new SocketRefused(`another server took ${path} at the same moment; it was left alone`);
  return release;
}
