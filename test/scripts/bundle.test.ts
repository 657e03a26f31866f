import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { buildEdge } from '../../scripts/build/edge.ts';
import { EDGE_MANIFEST, type EdgeManifest, ROOT } from '../../scripts/build/index.ts';

/** Row P17 of the quality goals, in bytes: what an isolate loads when it starts cold. */
const GZIPPED_MAX = 400 * 1024;
/** wrangler bundles the real Worker, which a busy machine needs a while for. */
const WRANGLER_MS = 300_000;

const dist = mkdtempSync(join(tmpdir(), 'hm-bundle-'));
afterAll(() => rmSync(dist, { recursive: true, force: true }));

describe('the Worker as `wrangler deploy` would upload it', () => {
  it(
    'is at most 400 KiB gzipped (P17)',
    async () => {
      await buildEdge(ROOT, dist);
      const { entry, textModules } = JSON.parse(readFileSync(join(dist, EDGE_MANIFEST), 'utf8')) as EdgeManifest;
      const modules = [entry, ...textModules].map((name) => readFileSync(join(dist, 'edge', name)));
      const gzipped = gzipSync(Buffer.concat(modules)).length;
      console.log(`P17: the Worker is ${(gzipped / 1024).toFixed(1)} KiB gzipped, at most ${GZIPPED_MAX / 1024}`);
      expect(gzipped).toBeGreaterThan(50 * 1024); // it is the real one
      expect(gzipped).toBeLessThanOrEqual(GZIPPED_MAX);
    },
    WRANGLER_MS,
  );
});
