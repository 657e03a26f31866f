/**
 * `npm run test:matrix`: every scenario of the public plane with all Durable Objects evicted before each of its steps,
 * every command of an installation killed before each of its steps, and every store killed 200 times. `npm test` runs the
 * same scenarios and takes a sample of the steps. Arguments go to Vitest, and then only the public plane is meant.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './build/index.ts';

const KILLED = [
  'test/cli/killed.test.ts',
  'test/runtime-a-b/generations/killed.test.ts',
  'test/e2e/installation.test.ts',
  'test/scripts/cutover.test.ts',
  'test/runtime-a-b/continuity/killed.test.ts',
  'test/runtime-a-b/operations/stores.test.ts',
];

const USAGE = `Usage: npm run test:matrix -- [<what Vitest takes>]

Every scenario of the public plane with all Durable Objects evicted before each of its steps, and every command of an
installation killed before each of its steps. With arguments only the public plane, for example:
  npm run test:matrix -- test/edge/fleet

docs/proof.md says what npm test runs of it.`;
const more = process.argv.slice(2);
if (more.includes('--help') || more.includes('-h')) {
  console.log(USAGE);
  process.exit();
}
const runs = [['run', '--project', 'edge', ...more], ...(more.length === 0 ? [['run', ...KILLED]] : [])].map((args) =>
  spawnSync(join(ROOT, 'node_modules', '.bin', 'vitest'), args, {
    cwd: ROOT,
    env: { ...process.env, EVICTIONS: 'all', HERDR_MCP_MATRIX: '1' },
    stdio: 'inherit',
  }),
);
process.exitCode = Math.max(...runs.map(({ status }) => status ?? 1));
