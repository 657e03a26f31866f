/**
 * `npm run test:matrix`: every scenario of the public plane with all Durable Objects evicted before each of its steps, and
 * every command of an installation killed before each of its steps. `npm test` runs the same scenarios and takes a sample
 * of the steps. Arguments go to Vitest, and then only the public plane is meant.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './build/index.ts';

const KILLED = [
  'test/cli/killed.test.ts',
  'test/runtime-a-b/generations/killed.test.ts',
  'test/e2e/installation.test.ts',
  'test/scripts/cutover.test.ts',
];

const more = process.argv.slice(2);
const runs = [['run', '--project', 'edge', ...more], ...(more.length === 0 ? [['run', ...KILLED]] : [])].map((args) =>
  spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), args, {
    cwd: ROOT,
    env: { ...process.env, EVICTIONS: 'all', HERDR_MCP_MATRIX: '1' },
    stdio: 'inherit',
  }),
);
process.exitCode = Math.max(...runs.map(({ status }) => status ?? 1));
