/**
 * From a path as a caller writes it to a canonical one inside a root (reference: runtime 3.2). Text first, then the disk,
 * then the names again: `..` and prefixes by segments, symlinks by the canonical path, secret names both before and after.
 *
 * These are synchronous: a handful of system calls on a directory that {@link findPlace} saw answering a moment ago.
 * Through the thread pool each would cost more than the whole check.
 */
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { PATH_BYTES_MAX } from './limits.ts';
import { badPath, gitInternal, notFound, outsideRoots, protectedFolder, secretPath, symlinkEscape } from './refuse.ts';
import { isSecretPath, type LeafKind } from './secrets.ts';
import { below, isWithin, normalAbsolute } from './segments.ts';
import { type Root, type RootTable, rootOfCanonical, rootOfSpelling } from './table.ts';

/** A path that exists (or may be made) inside a root. All I/O uses `path`, never the caller's spelling. */
export interface Resolved {
  /** Canonical absolute path. For a new file: canonical parent and name. */
  path: string;
  /** Below the root, without a leading slash; empty for the root itself. */
  relative: string;
  root: Root;
  /** Normal form of what the caller wrote. */
  asked: string;
}

export interface ResolvedNew extends Resolved {
  /** Canonical path of the nearest folder that exists. */
  parent: string;
  /** Folders that must be made first, outermost first, canonical; empty when the parent exists. */
  missing: readonly string[];
}

interface Asked {
  asked: string;
  root: Root;
  /** The asked path below the root's canonical path, not yet canonical itself. */
  start: string;
}

function ask(table: RootTable, path: string, leaf: LeafKind, protectedFolders: readonly string[]): Asked {
  const asked = normalAbsolute(path);
  if (asked === undefined) throw badPath(path, path.includes('\0') ? 'holds a NUL' : 'is not absolute');
  if (Buffer.byteLength(asked) > PATH_BYTES_MAX) throw badPath(path, 'is too long');
  if (protectedFolders.some((folder) => isWithin(folder, asked))) throw protectedFolder(asked);
  const match = rootOfSpelling(table, asked);
  if (match === undefined) throw outsideRoots(asked, table);
  const relative = below(match.under, asked);
  if (isSecretPath(relative, leaf)) throw secretPath(asked);
  return { asked, root: match.root, start: relative === '' ? match.root.path : posix.join(match.root.path, relative) };
}

/** The root that holds a canonical path, inside the one that was asked for; otherwise a symlink led out. */
function land(table: RootTable, asked: Asked, path: string, leaf: LeafKind): Resolved {
  if (!isWithin(asked.root.path, path)) throw symlinkEscape(asked.asked);
  const root = rootOfCanonical(table, path) ?? asked.root;
  const relative = below(root.path, path);
  if (isSecretPath(relative, leaf) || isSecretPath(below(asked.root.path, path), leaf)) throw secretPath(asked.asked);
  return { path, relative, root, asked: asked.asked };
}

/**
 * Resolves a path that exists. `leaf` says how its last name is judged. Throws an {@link OutcomeError}:
 * `invalid_params`, `outside_managed_roots`, `protected_folder_unavailable`, `secret_path_denied`, `symlink_escape`,
 * `not_found`, `stat_failed`.
 */
export function resolveExisting(
  table: RootTable,
  path: string,
  options: { leaf?: LeafKind; protectedFolders?: readonly string[] } = {},
): Resolved {
  const { leaf = 'file', protectedFolders = [] } = options;
  const asked = ask(table, path, leaf, protectedFolders);
  const real = canonical(asked.start, asked.asked);
  if (protectedFolders.some((folder) => isWithin(folder, real))) throw protectedFolder(asked.asked);
  return land(table, asked, real, leaf);
}

/**
 * Resolves a path at which something may be created. A path that exists already is resolved as existing (then
 * `exists` is true and symlinks are followed). `makeParents` allows folders that do not exist yet.
 * Besides the errors of {@link resolveExisting}: `parent_not_found`, `parent_not_directory`, and `not_found` for a symlink
 * that leads nowhere.
 */
export function resolveNew(
  table: RootTable,
  path: string,
  options: { makeParents?: boolean; protectedFolders?: readonly string[] } = {},
): (ResolvedNew & { exists: false }) | (Resolved & { exists: true }) {
  const { protectedFolders = [] } = options;
  const asked = ask(table, path, 'file', protectedFolders);
  const found = lstatOf(asked.start, asked.asked);
  if (found !== undefined) {
    if (found.isSymbolicLink() && leadsNowhere(asked.start)) {
      throw new OutcomeError('not_found', `${asked.asked} is a symlink that leads nowhere; nothing was changed.`, {
        next: 'Name the real path, or remove the symlink first.',
      });
    }
    return { ...resolveExisting(table, path, options), exists: true };
  }
  const missing: string[] = [];
  let folder = posix.dirname(asked.start);
  while (lstatOf(folder, asked.asked) === undefined && isWithin(asked.root.path, folder)) {
    missing.unshift(folder);
    folder = posix.dirname(folder);
  }
  if (missing.length > 0 && options.makeParents !== true)
    throw parentNotFound(asked.asked, missing[0] as string, asked.root.path);
  if (!isWithin(asked.root.path, folder)) throw parentNotFound(asked.asked, asked.root.path, asked.root.path);
  const parent = canonical(folder, asked.asked);
  if (protectedFolders.some((each) => isWithin(each, parent))) throw protectedFolder(asked.asked);
  if (!lstatOf(parent, asked.asked)?.isDirectory()) {
    throw new OutcomeError('parent_not_directory', `${parent} is no directory; nothing was changed.`, {
      next: 'Choose a path whose parent is a directory.',
    });
  }
  const tail = below(folder, asked.start);
  const landed = land(table, asked, posix.join(parent, tail), 'file');
  const made = missing.map((each) => posix.join(parent, below(folder, each)));
  return { ...landed, parent, missing: made, exists: false };
}

/** Refuses Git's own files; a mutation calls it after resolving. */
export function refuseGitInternal(resolved: Resolved): void {
  const inside = (path: string) => path.split('/').some((segment) => segment.toLowerCase() === '.git');
  if (inside(resolved.relative) || inside(below(resolved.root.path, resolved.path))) throw gitInternal(resolved.asked);
}

function parentNotFound(asked: string, folder: string, root: string): OutcomeError {
  return new OutcomeError('parent_not_found', `The directory ${folder} does not exist, so ${asked} was not made.`, {
    next:
      folder === root
        ? 'The root itself is gone: look with herdr_inspect which roots there are now.'
        : 'Make the directory with herdr_exec (mkdir -p), then call again.',
  });
}

function leadsNowhere(link: string): boolean {
  try {
    realpathSync.native(link);
    return false;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}

function canonical(path: string, asked: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw statFailure(error, asked);
  }
}

function lstatOf(path: string, asked: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw statFailure(error, asked);
  }
}

/** One mapping of what the system says about a path. */
export function statFailure(error: unknown, asked: string): OutcomeError {
  const code = systemCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return notFound(asked);
  const what =
    code === 'ELOOP'
      ? 'leads through a circle of symlinks'
      : code === 'EACCES' || code === 'EPERM'
        ? 'may not be looked at by the workstation user'
        : code === 'ENAMETOOLONG'
          ? 'has a name that is too long'
          : `cannot be looked at (${code ?? 'unknown reason'})`;
  return new OutcomeError('stat_failed', `${asked} ${what}; nothing was touched.`, {
    next: 'Check the path with herdr_fs_list.',
    cause: error,
  });
}
