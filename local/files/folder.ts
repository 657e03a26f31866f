import { chmodSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { LocalError, systemCode } from '../error/index.ts';

/**
 * Makes sure that a folder exists, is really a folder, is ours and is closed to others (0700), and returns its path.
 * Missing parents are made 0700 too. A wider mode on our own folder is tightened; a symlink or a foreign owner is refused.
 */
export function ensurePrivateDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      throw new LocalError(
        'folder_not_made',
        `The folder ${path} cannot be made (${systemCode(error) ?? 'unknown reason'}).`,
        'Make it by hand, or set HERDR_MCP_STATE_DIR to a folder that you own.',
        error,
      );
    }
  }
  const stats = lstatSync(path);
  const trouble = whyNotPrivate(stats);
  if (trouble) {
    throw new LocalError(
      'folder_not_private',
      `${path} ${trouble}, so nothing is kept in it.`,
      'Remove it or point HERDR_MCP_STATE_DIR elsewhere.',
    );
  }
  if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return path;
}

function whyNotPrivate(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'is a symlink';
  if (!stats.isDirectory()) return 'is not a folder';
  if (process.getuid && stats.uid !== process.getuid()) return 'belongs to another user';
  return undefined;
}
