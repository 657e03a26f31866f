/** Programs as tests start them: out of bundles, which start five times faster than sources. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { build, DIST, ROOT } from '../../scripts/build/index.ts';
import { bundlePrograms, type PROCESSES } from '../../scripts/build/node.ts';

/** The path of one of the product's, as it is shipped; it is built first where it is missing or older than its sources. */
export async function program(name: keyof typeof PROCESSES): Promise<string> {
  await build({ parts: ['node'] });
  return join(DIST, `${name}.js`);
}

/** The path of a bundle of a program that belongs to the tests. */
export async function ownProgram(source: URL): Promise<string> {
  await build({ parts: ['node'] }); // the migrations that a bundle reads
  const name = basename(source.pathname, '.ts');
  // Whoever asks has a folder of its own: nobody starts what another one is writing.
  const folder = join(DIST, '.tests', String(process.pid));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  await bundlePrograms(ROOT, folder, { [name]: fileURLToPath(source) });
  return join(folder, `${name}.js`);
}
