/** Whether a file may be replaced or removed by us. A link, a folder, another program's manifest: never. */
import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { LocalError } from '../../../local/error/index.ts';
import type { nativePaths } from '../registration.ts';
import { WRAPPER_MARK } from './contents.ts';

/** Throws a `LocalError` that names the first file in the way. Nothing is changed. */
export function assertOurs(paths: ReturnType<typeof nativePaths>, files: readonly string[]): void {
  for (const file of files) {
    const why = whyNotOurs(paths, file);
    if (why === null) continue;
    throw new LocalError(
      'native_host_foreign_file',
      `${file} ${why}; it was left as it is and nothing was installed.`,
      'Look at it, move it away by hand, and try again.',
    );
  }
}

function whyNotOurs(paths: ReturnType<typeof nativePaths>, file: string): string | null {
  const folder = lstat(dirname(file));
  if (folder?.isSymbolicLink()) return 'lies in a folder that is a symlink';
  const found = lstat(file);
  if (!found) return null;
  if (found.isSymbolicLink()) return 'is a symlink';
  if (!found.isFile()) return 'is no plain file';
  if (process.getuid && found.uid !== process.getuid()) return 'belongs to another user';
  if (file === paths.wrapper) {
    return readFileSync(file, 'utf8').includes(WRAPPER_MARK) ? null : 'is no wrapper that herdr-mcp wrote';
  }
  if (file.startsWith(`${paths.dir}/`)) return null;
  return manifestPath(file) === paths.wrapper ? null : 'names another program';
}

/** The program that a browser's manifest names, or null. */
export function manifestPath(file: string): string | null {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const path: unknown = typeof found === 'object' && found !== null ? Reflect.get(found, 'path') : undefined;
    return typeof path === 'string' ? path : null;
  } catch {
    return null; // unreadable or no JSON: then it names nothing of ours
  }
}

function lstat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
