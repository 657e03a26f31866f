/**
 * Bundles the product: one file a process in `dist/`, the Worker in `dist/edge/`. A published package cannot run `.ts`,
 * and a bundle starts four times faster than its sources. Tests, start and the benchmark run these same files.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildEdge } from './edge.ts';
import { buildNode } from './node.ts';
import { isFresh, markFresh, sourceDigest } from './stamp.ts';

export { EDGE_MANIFEST, type EdgeManifest } from './edge.ts';
export { PROCESSES } from './node.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const DIST = join(ROOT, 'dist');

export interface BuildOptions {
  /** Which halves; both when absent. */
  parts?: readonly ('node' | 'edge')[];
  force?: boolean;
  /** Told before something slow is done. */
  say?: (line: string) => void;
}

const SOURCES = {
  node: ['contract', 'local', 'link', 'runtime-a-b', 'embedded-herdr', 'cli', 'look', 'migrations', 'scripts/build'],
  edge: ['contract', 'edge', 'look', 'migrations', 'wrangler.toml', 'scripts/build'],
} as const;

/** Brings `dist/` up to date. Rejects with the bundler's own words when something does not compile; the stamp is then gone. */
export async function build({
  parts = ['node', 'edge'],
  force = false,
  say = () => undefined,
}: BuildOptions = {}): Promise<void> {
  for (const part of parts) {
    const stamp = join(DIST, `.${part}.stamp`);
    const digest = sourceDigest(ROOT, [...SOURCES[part], 'package.json', 'package-lock.json']);
    if (!force && isFresh(stamp, digest)) continue;
    say(part === 'node' ? 'Bundling the workstation’s programs ...' : 'Bundling the Worker ...');
    rmSync(stamp, { force: true });
    await (part === 'node' ? buildNode(ROOT, DIST) : buildEdge(ROOT, DIST));
    markFresh(stamp, digest);
  }
}
