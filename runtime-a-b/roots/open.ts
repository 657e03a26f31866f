/**
 * Opening what was resolved, so that a swap between check and use cannot lead out of the root: no symlink is followed in
 * the last segment, and the open file is held against the path once more. Where the system tells a descriptor's path
 * (Linux), that is asked; elsewhere the path is canonicalised again and must show the same device and inode.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { OPEN_TRIES } from './limits.ts';
import { notFound, symlinkEscape } from './refuse.ts';
import { type Resolved, statFailure } from './resolve.ts';

export interface OpenFile {
  fd: number;
  stats: Stats;
}

export type FdCheck = 'proc' | 'inode';

const DEFAULT_CHECK: FdCheck = process.platform === 'linux' ? 'proc' : 'inode';

/**
 * Opens a regular file for reading (or for reading and writing) and proves that it is the one inside the root.
 * The caller closes `fd`. Throws `not_a_file`, `not_found`, `symlink_escape`, `read_failed`, `stat_failed`.
 */
export function openInside(resolved: Resolved, options: { write?: boolean; check?: FdCheck } = {}): OpenFile {
  const flags = (options.write ? constants.O_RDWR : constants.O_RDONLY) | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = openProven(resolved, flags, options.check ?? DEFAULT_CHECK);
  if (file.stats.isFile()) return file;
  closeSync(file.fd);
  throw new OutcomeError('not_a_file', `${resolved.asked} is ${kindOf(file.stats)}, not a file; nothing was touched.`, {
    next: file.stats.isDirectory() ? 'List it with herdr_fs_list.' : 'Choose a regular file.',
  });
}

/** The same for a folder. The caller closes `fd`. Throws `not_a_directory` for anything else. */
export function openFolderInside(resolved: Resolved, check: FdCheck = DEFAULT_CHECK): OpenFile {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const folder = openProven(resolved, flags, check);
  if (folder.stats.isDirectory()) return folder;
  closeSync(folder.fd);
  throw new OutcomeError('not_a_directory', `${resolved.asked} is no directory; nothing was touched.`, {
    next: 'Read a file with herdr_fs_read.',
  });
}

/** A name inside an open folder, as a path that cannot be led elsewhere where the system offers one. */
export function inFolder(folder: { fd: number; path: string }, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : `${folder.path}/${name}`;
}

/** The open folder itself, as a path; see {@link inFolder}. */
export function folderPath(folder: { fd: number; path: string }): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : folder.path;
}

function openProven(resolved: Resolved, flags: number, check: FdCheck): OpenFile {
  for (let attempt = 1; ; attempt += 1) {
    const fd = open(resolved, flags);
    try {
      if (isStillThere(fd, resolved.path, check)) return { fd, stats: fstatSync(fd) };
    } catch (error) {
      closeSync(fd);
      throw statFailure(error, resolved.asked);
    }
    closeSync(fd);
    // An editor that replaced the file by rename looks the same as an attack; the second look tells them apart.
    if (attempt === OPEN_TRIES) throw symlinkEscape(resolved.asked);
  }
}

function open(resolved: Resolved, flags: number): number {
  try {
    return openSync(resolved.path, flags);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw notFound(resolved.asked);
    if (code === 'ELOOP') throw symlinkEscape(resolved.asked);
    const what =
      code === 'ENXIO'
        ? 'is a socket or a pipe without a partner'
        : code === 'EACCES' || code === 'EPERM'
          ? 'may not be opened by the workstation user'
          : `cannot be opened (${code ?? 'unknown reason'})`;
    throw new OutcomeError(
      code === 'ENXIO' ? 'not_a_file' : 'read_failed',
      `${resolved.asked} ${what}; nothing was touched.`,
      {
        next: 'Check its kind and permissions with herdr_fs_list or ls -l.',
        cause: error,
      },
    );
  }
}

/** The folders that lead to `path` may have been swapped since it was resolved; the open file itself cannot be. */
function isStillThere(fd: number, path: string, check: FdCheck): boolean {
  if (check === 'proc') return readlinkSync(`/proc/self/fd/${fd}`) === path;
  try {
    if (realpathSync.native(path) !== path) return false;
    const [open, named] = [fstatSync(fd, { bigint: true }), statSync(path, { bigint: true })];
    return open.dev === named.dev && open.ino === named.ino;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return 'a device';
  return 'something else';
}
