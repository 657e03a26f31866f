import { chmodSync, linkSync, lstatSync, rmSync, type Stats, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { systemCode } from '../error/index.ts';

/** What is at the path itself, a link included; undefined when nothing is. */
export const statOrNothing = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** Removes what was found at the path, unless something else has taken its place since. */
export function removeFound(path: string, found: Stats): void {
  const now = statOrNothing(path);
  if (now && sameFile(now, found)) unlinkSync(path);
}

/**
 * Lets a server listen at a free path, with mode 0600: bound under another name in the same folder (`making`) and linked
 * into place, it appears whole and never replaces what came meanwhile. Gives what removes the file again while it is still
 * ours, or null when something has taken the path: that is left alone, and the server is closed.
 */
export async function listenPrivately(server: Server, path: string, making: string): Promise<(() => void) | null> {
  if (statOrNothing(making)?.isSocket()) unlinkSync(making);
  await bind(server, making);
  try {
    chmodSync(making, 0o600);
    linkSync(making, path);
  } catch (error) {
    server.close();
    if (systemCode(error) !== 'EEXIST') throw error;
    return null;
  } finally {
    // Node removes what it bound by name when it closes; that name is gone then, and the path is ours to judge.
    rmSync(making, { force: true });
  }
  const ours = lstatSync(path);
  return () => removeFound(path, ours);
}

/** The same file, and not a new one to which the system has given the number of one that is gone. */
const sameFile = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino && a.birthtimeMs === b.birthtimeMs;

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
