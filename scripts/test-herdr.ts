/**
 * `HERDR_BIN=/path npm run test:herdr`: the conformance suite against a real Herdr; its reporter writes
 * docs/herdr-compatibility.md. Without HERDR_BIN the same tests run against the embedded server and the page stays.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './build/index.ts';

const run = spawnSync(
  join(ROOT, 'node_modules', '.bin', 'vitest'),
  [
    'run',
    '--project',
    'herdr',
    'test/embedded-herdr/conformance',
    '--reporter=default',
    '--reporter=./test/embedded-herdr/compatibility-reporter.ts',
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exitCode = run.status ?? 1;
