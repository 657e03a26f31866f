/** P17: the Worker as `wrangler deploy` would upload it, gzipped. The stage was started from the very bundle that is measured. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { builtEdge, DIST } from '../../scripts/build/index.ts';
import type { Row } from './table.ts';

/** The bar of row P17, in bytes: what an isolate loads when it starts cold. */
export const BUNDLE_GZIPPED_MAX = 400 * 1024;

/** Modules of a built edge together, gzipped, in bytes. */
export function gzippedBundle(dist: string): number {
  const { entry, textModules } = builtEdge(dist);
  return gzipSync(Buffer.concat([entry, ...textModules].map((file) => readFileSync(file)))).length;
}

export async function bundleSize(): Promise<Row> {
  const bytes = gzippedBundle(DIST);
  return {
    id: 'P17',
    what: 'Worker bundle, gzipped',
    beside: '',
    bar: `≤ ${BUNDLE_GZIPPED_MAX / 1024} KiB`,
    held: bytes <= BUNDLE_GZIPPED_MAX,
    facts: { KiB: (bytes / 1024).toFixed(1) },
  };
}
