/**
 * `herdr_fs_list`: the entries of a directory. Symlinks are listed, never followed; secret names, `.git` and protected
 * folders are left out.
 */
import { closeSync, type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { systemCode } from '../../../local/error/index.ts';
import { folderPath, inFolder, isSecretPath, openFolderInside, type Resolved } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { fittingItems, roomFor } from '../fit.ts';
import { readFailure, rootFacts, throwIfCancelled } from './common.ts';
import { globMatcher } from './glob.ts';
import { LIST_ENTRIES, LIST_FOLDERS_MAX } from './limits.ts';

interface Entry {
  name: string;
  type: 'file' | 'dir' | 'symlink' | 'other';
  path: string;
  relative_path: string;
  size?: number;
  mtime?: string;
  /** The name holds bytes that are no UTF-8, so no path in JSON can name it; the shell can. */
  name_is_utf8?: false;
}

export const fsList: ToolHandler = async (args, context) => {
  const {
    path,
    recursive = false,
    glob,
    max_entries = LIST_ENTRIES,
  } = args as {
    path: string;
    recursive?: boolean;
    glob?: string;
    max_entries?: number;
  };
  const resolved = await context.roots.existing(context.live.view(), path, 'directory');
  const matches = glob === undefined ? () => true : globMatcher(glob);
  const { isProtected } = context.roots;
  const listing = walk(resolved, { recursive, matches, isProtected, max: max_entries, signal: context.signal });
  const entries = fittingItems(listing.entries, roomFor());
  const truncated = listing.truncated || entries.length < listing.entries.length;
  return {
    ok: true,
    body: {
      path: resolved.path,
      ...rootFacts(resolved.root),
      count: entries.length,
      truncated,
      ...(truncated ? { next: 'Narrow it with glob or a deeper path, or raise max_entries.' } : {}),
      ...(listing.unreadable.length === 0 ? {} : { unreadable: listing.unreadable }),
      entries,
    },
  };
};

interface WalkOptions {
  recursive: boolean;
  matches: (relative: string) => boolean;
  isProtected: (path: string) => boolean;
  max: number;
  signal: AbortSignal;
}

/** Depth first, names sorted, so that the entries are in the order of their paths and a cut is a clean prefix. */
function walk(top: Resolved, options: WalkOptions): { entries: Entry[]; truncated: boolean; unreadable: string[] } {
  const entries: Entry[] = [];
  const unreadable: string[] = [];
  let folders = 0;
  const visit = (folder: Resolved, below: string): boolean => {
    throwIfCancelled(options.signal);
    folders += 1;
    if (folders > LIST_FOLDERS_MAX) return false;
    const prefix = below === '' ? '' : `${below}/`;
    const shown = (dirent: Dirent) => options.matches(prefix + dirent.name);
    for (const { dirent, stats } of readFolder(folder, below, unreadable, shown, options.max)) {
      const relative = prefix + dirent.name;
      const child: Resolved = {
        path: posix.join(folder.path, dirent.name),
        relative: folder.relative === '' ? dirent.name : `${folder.relative}/${dirent.name}`,
        root: folder.root,
        asked: posix.join(folder.asked, dirent.name),
      };
      const isFolder = dirent.isDirectory();
      if (dirent.name === '.git' || isSecretPath(child.relative, isFolder ? 'directory' : 'file')) continue;
      if (isFolder && options.isProtected(child.path)) continue;
      if (options.matches(relative)) {
        if (entries.length === options.max) return false;
        entries.push(describe(child, dirent, relative, stats));
      }
      if (isFolder && options.recursive && !visit(child, relative)) return false;
    }
    return true;
  };
  const whole = visit(top, '');
  return { entries, truncated: !whole, unreadable };
}

interface Child {
  dirent: Dirent;
  /** Looked at only for entries that will be shown, and while the folder is held open. */
  stats: Stats | undefined;
}

/** The sorted entries. The folder that was asked for must be readable; one below it is reported and passed over. */
function readFolder(
  folder: Resolved,
  below: string,
  unreadable: string[],
  shown: (dirent: Dirent) => boolean,
  max: number,
): Child[] {
  try {
    const { fd } = openFolderInside(folder);
    const open = { fd, path: folder.path };
    try {
      const entries = readdirSync(folderPath(open), { withFileTypes: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      let left = max;
      return entries.map((dirent): Child => {
        if (left <= 0 || !shown(dirent)) return { dirent, stats: undefined };
        left -= 1;
        return { dirent, stats: lstatSync(inFolder(open, dirent.name), { throwIfNoEntry: false }) };
      });
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (below === '') throw readFailure(error, folder.asked);
    if (error instanceof OutcomeError || systemCode(error) !== undefined) {
      unreadable.push(below);
      return [];
    }
    throw error;
  }
}

function describe(entry: Resolved, dirent: Dirent, relative: string, stats: Stats | undefined): Entry {
  return {
    name: dirent.name,
    type: dirent.isFile() ? 'file' : dirent.isDirectory() ? 'dir' : dirent.isSymbolicLink() ? 'symlink' : 'other',
    path: entry.path,
    relative_path: relative,
    ...(dirent.name.includes('\ufffd') && stats === undefined ? { name_is_utf8: false as const } : {}),
    ...(stats?.isFile() ? { size: stats.size } : {}),
    ...(stats === undefined ? {} : { mtime: stats.mtime.toISOString() }),
  };
}
