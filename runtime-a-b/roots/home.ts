/**
 * HOME and everything above it are never a root, however they are spelled. Three looks, because each alone can be walked
 * around: the text of the path (also without macOS's Data-volume prefix), the canonical path, and device and inode.
 */
import { realpathSync, statSync } from 'node:fs';
import { isWithin, normalAbsolute, withAncestors } from './segments.ts';

export interface FileId {
  dev: number;
  ino: number;
}

export interface HomeGuard {
  /** True for HOME, for its ancestors and for their other spellings; true for everything while no HOME is known. */
  forbids(path: string, id?: FileId): boolean;
}

const DATA_VOLUME = '/System/Volumes/Data';

/** Looks at HOME and its ancestors once. `home` is the person's home directory; empty or relative means unknown. */
export function guardHome(home: string | undefined): HomeGuard {
  const normal = home === undefined ? undefined : normalAbsolute(home);
  if (normal === undefined) return { forbids: () => true };
  const spellings = [stripDataVolume(normal)];
  const real = realpathOrUndefined(normal);
  if (real !== undefined) spellings.push(stripDataVolume(real));
  const ids = new Set<string>();
  for (const path of new Set([normal, ...(real === undefined ? [] : [real])].flatMap(withAncestors))) {
    const id = statSync(path, { throwIfNoEntry: false });
    if (id) ids.add(idText(id));
  }
  return {
    forbids(path, id) {
      const plain = stripDataVolume(path);
      if (spellings.some((home) => isWithin(plain, home))) return true;
      return id !== undefined && ids.has(idText(id));
    },
  };
}

const idText = (id: FileId): string => `${id.dev}:${id.ino}`;

function stripDataVolume(path: string): string {
  if (!isWithin(DATA_VOLUME, path)) return path;
  return path.slice(DATA_VOLUME.length) || '/';
}

function realpathOrUndefined(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // a HOME that does not exist is still forbidden by its text
  }
}
