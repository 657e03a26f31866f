/**
 * `npm run test:matrix`: every scenario of the public plane with all Durable Objects evicted before each of its steps.
 * `npm test` runs the same scenarios and evicts before one step in four. Arguments go to Vitest.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './build/index.ts';

const run = spawnSync(
  join(ROOT, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', 'edge', ...process.argv.slice(2)],
  { cwd: ROOT, env: { ...process.env, EVICTIONS: 'all' }, stdio: 'inherit' },
);
process.exitCode = run.status ?? 1;
