/** Whether a build still fits its sources: names, sizes and times of change, which is what a person's edit changes. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function sourceDigest(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256');
  hash.update(process.versions.modules); // native modules are found per ABI
  for (const source of sources) add(hash, root, source);
  return hash.digest('hex');
}

function add(hash: ReturnType<typeof createHash>, root: string, path: string): void {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats) return;
  if (stats.isDirectory()) {
    // What begins with a dot is no source: a build writes types of its own beside the extension's.
    const names = readdirSync(join(root, path)).filter((name) => !name.startsWith('.'));
    for (const name of names.sort()) add(hash, root, join(path, name));
    return;
  }
  hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\n`);
}

export function isFresh(stamp: string, digest: string): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

export function markFresh(stamp: string, digest: string): void {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
}
