import { join } from 'node:path';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { WORKERS } from '../workers.ts';

/** The public plane inside workerd: the whole Worker with its three objects, configured as a deployment is. */
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: join(import.meta.dirname, '..', '..', 'wrangler.toml') },
      miniflare: {
        // Off by default in a deployment; tests that show the absence leave the binding out.
        r2Buckets: ['ARTIFACT_BUCKET'],
        bindings: {
          ORIGINS: 'https://edge.test,https://old.edge.test',
          STAGE: 'dev',
          OPERATOR_SECRET: 'operator-secret-for-tests',
          CODE_SECRET: 'code-secret-for-tests',
        },
      },
    }),
  ],
  test: {
    name: 'edge',
    // As in the other projects, and dearer here: each file that workerd loads is asked of Vite over a socket.
    deps: {
      optimizer: {
        ssr: {
          enabled: true,
          include: [
            'typebox',
            'typebox/schema',
            'typebox/value',
            'drizzle-orm',
            'drizzle-orm/durable-sqlite',
            'drizzle-orm/durable-sqlite/migrator',
            'drizzle-orm/sqlite-core',
          ],
        },
      },
    },
    include: ['**/*.test.ts', '**/*.test.tsx'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: WORKERS,
    provide: { evictEvery: process.env.EVICTIONS === 'all' ? 1 : 4 },
  },
});
