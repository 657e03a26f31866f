/** The browser extension: WXT bundles it into `dist/extension`, and the same files go into `dist/extension.zip`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { zipOf } from './zip.ts';

export async function buildExtension(root: string, dist: string): Promise<void> {
  // Only this build needs WXT and Vite; `npm start` must not wait for them to load.
  const { build } = await import('wxt');
  const folder = join(dist, 'extension');
  rmSync(folder, { recursive: true, force: true });
  await build({ root: join(root, 'extension'), configFile: 'wxt.config.ts', outDir: dist, logger: SILENT }).catch(
    (error: Error) => {
      throw new LocalError('build_failed', error.message, 'Correct the sources, or restore them with git.', error);
    },
  );
  writeFileSync(join(dist, 'extension.zip'), zipOf(filesIn(folder)));
}

/** What goes wrong is thrown; the rest is a table of sizes. */
const quiet = () => undefined;
const SILENT = {
  debug: quiet,
  log: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  fatal: quiet,
  success: quiet,
  level: 0,
};

function filesIn(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(folder, path).split(sep).join('/'), bytes: readFileSync(path) }));
}
