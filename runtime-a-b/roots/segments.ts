/** Absolute paths as lists of segments, so that `/root-evil` is never taken for something inside `/root`. Pure. */
import { posix } from 'node:path';

/** The path without `.`, `..`, doubled and trailing slashes; `undefined` when it is not absolute or holds a NUL. */
export function normalAbsolute(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('\0')) return undefined;
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Whether a normal path is the folder itself or lies below it. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** The way from a folder to a path inside it, without a leading slash; empty for the folder itself. */
export function below(folder: string, path: string): string {
  return path === folder ? '' : path.slice(folder === '/' ? 1 : folder.length + 1);
}

/** A normal path and every folder above it, the path itself first. */
export function withAncestors(path: string): string[] {
  const all = [path];
  for (let at = path; at !== '/'; ) {
    at = posix.dirname(at);
    all.push(at);
  }
  return all;
}

/** How many segments a normal path has; deeper roots win. */
export function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}
