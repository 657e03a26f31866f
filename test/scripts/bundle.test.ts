import { describe, expect, it } from 'vitest';
import { build, DIST, readBuilt } from '../../scripts/build/index.ts';
import { BUNDLE_GZIPPED_MAX, gzippedBundle } from '../bench/bundle.ts';

/** wrangler bundles the real Worker, which a busy machine needs a while for. */
const WRANGLER_MS = 300_000;

describe('the Worker as `wrangler deploy` would upload it', () => {
  it(
    'is at most 400 KiB gzipped (P17)',
    async () => {
      await build({ parts: ['edge'] });
      const gzipped = await readBuilt(async () => gzippedBundle(DIST));
      console.log(
        `P17: the Worker is ${(gzipped / 1024).toFixed(1)} KiB gzipped, at most ${BUNDLE_GZIPPED_MAX / 1024}`,
      );
      expect(gzipped).toBeGreaterThan(50 * 1024); // it is the real one
      expect(gzipped).toBeLessThanOrEqual(BUNDLE_GZIPPED_MAX);
    },
    WRANGLER_MS,
  );
});
