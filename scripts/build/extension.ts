/** The browser extension: WXT bundles it into `dist/extension`, and the same files go into `dist/extension.zip`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { zipOf } from './zip.ts';

/** Bundling on a slow machine, in ms. */
const BUNDLE_MS_MAX = 180_000;

export async function buildExtension(root: string, dist: string): Promise<void> {
  const folder = join(dist, 'extension');
  rmSync(folder, { recursive: true, force: true });
  const made = await run(process.execPath, [join(import.meta.dirname, 'wxt.mjs'), join(root, 'extension'), dist], {
    cwd: root,
    timeoutMs: BUNDLE_MS_MAX,
    env: { ...process.env, NODE_ENV: 'production' }, // the same bytes, whoever asks for them
  });
  if (made.code !== 0) {
    throw new LocalError(
      'build_failed',
      `The extension could not be bundled:\n${made.stderr.toString()}`,
      'Correct the sources, or restore them with git.',
    );
  }
  writeFileSync(join(dist, 'extension.zip'), zipOf(filesIn(folder)));
}

function filesIn(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), bytes: readFileSync(path) }));
}
