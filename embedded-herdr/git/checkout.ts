import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT_KEPT_MS, CHECKOUTS_KEPT } from '../limits.ts';

/**
 * Finds the checkout that a directory lies in by looking for `.git` upwards, without running git. Labels need it for
 * every workspace in every snapshot, so answers are kept for a moment.
 */
export function checkoutFinder(now: () => number): (directory: string) => string | undefined {
  const kept = new Map<string, { at: number; root: string | undefined }>();
  return (directory) => {
    const known = kept.get(directory);
    if (known && now() - known.at < CHECKOUT_KEPT_MS) return known.root;
    let root: string | undefined;
    for (let at = directory; root === undefined; at = dirname(at)) {
      if (existsSync(join(at, '.git'))) root = at;
      if (dirname(at) === at) break;
    }
    if (kept.size >= CHECKOUTS_KEPT) kept.clear();
    kept.set(directory, { at: now(), root });
    return root;
  };
}

/** Whether a path is a directory that can be entered. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
