/** The product's programs as they are shipped: out of the bundles, which start five times faster than their sources. */
import { join } from 'node:path';
import { build, DIST } from '../../scripts/build/index.ts';
import type { PROCESSES } from '../../scripts/build/node.ts';

/** The path that Node runs; it is built first where it is missing or older than its sources. */
export async function program(name: keyof typeof PROCESSES): Promise<string> {
  await build({ parts: ['node'] });
  return join(DIST, `${name}.js`);
}
