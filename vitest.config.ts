import { defineConfig } from 'vitest/config';
import LongestFirst from './test/sequencer.ts';
import { WORKERS } from './test/workers.ts';

/**
 * Libraries of hundreds of small files, put into one before the tests begin: every test file runs in a process of its own,
 * and to load them as they are takes it 1.3 s of a processor, to load the bundle a tenth of that. Whole systems and their
 * clients do without: here a library that stands outside the bundle is loaded once for us and once for itself, and its
 * classes exist twice.
 */
const deps = {
  optimizer: {
    ssr: {
      enabled: true,
      include: [
        'typebox',
        'typebox/compile',
        'typebox/schema',
        'typebox/value',
        'drizzle-orm',
        'drizzle-orm/better-sqlite3',
        'drizzle-orm/sql',
        'drizzle-orm/sqlite-core',
        'drizzle-orm/utils',
      ],
    },
  },
};

/**
 * Five projects: what runs in Node beside the code it tests (`unit`), the conformance suite of Herdr's socket
 * (`herdr`), the public plane inside workerd (`edge`), whole systems out of bundles (`e2e`), and those under faults (`chaos`).
 */
export default defineConfig({
  test: {
    silent: 'passed-only',
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      './test/requirements-reporter.ts',
      ...(process.env.HERDR_MCP_MATRIX === '1' ? ['./test/matrix-reporter.ts'] : []),
    ],
    projects: [
      {
        test: {
          name: 'unit',
          deps,
          include: ['test/**/*.test.ts'],
          exclude: ['test/edge/**', 'test/embedded-herdr/**', 'test/e2e/**', 'test/interop/**', 'test/chaos/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['test/setup.ts'],
        },
      },
      {
        test: {
          name: 'herdr',
          deps,
          include: ['test/embedded-herdr/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['test/setup.ts'],
        },
      },
      'test/edge/vitest.config.*',
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/interop/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['test/setup.ts'],
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          setupFiles: ['test/setup.ts'],
        },
      },
    ],
  },
});
