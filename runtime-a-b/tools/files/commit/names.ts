/** Small acts on names and files that both a commit and its undo need. */
import { closeSync, copyFileSync, fsyncSync, ftruncateSync, linkSync, lstatSync, openSync, writeSync } from 'node:fs';
import { systemCode } from '../../../../local/error/index.ts';

/** Device and inode behind a name, or undefined when nothing has it. */
export function idOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Keeps the old file under another name; where the file system has no links, as a copy. True for a real second name. */
export function secondName(path: string, backup: string): boolean {
  try {
    linkSync(path, backup);
    return true;
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
    copyFileSync(path, backup);
    return false;
  }
}

/** Writes bytes into the file that is there, so that its other names, its mode and its owner stay. */
export function overwrite(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'r+');
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
