/**
 * `npm run test:matrix`: every scenario of the public plane with all Durable Objects evicted before each of its steps,
 * every command of an installation killed before each of its steps, and every store killed 200 times. `npm test` runs the
 * same scenarios and takes a sample of the steps. Arguments go to Vitest, and then only the public plane is meant.
 * Closes with a line that says what was played and whether all of it held.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sum } from '../test/matrix-reporter.ts';
import { ROOT } from './build/index.ts';
import { closing, killed } from './matrix/closing.ts';

const KILLED = [
  'test/cli/killed.test.ts',
  'test/runtime-a-b/generations/killed.test.ts',
  'test/e2e/installation.test.ts',
  'test/scripts/cutover.test.ts',
  'test/runtime-a-b/continuity/killed.test.ts',
  'test/runtime-a-b/operations/stores.test.ts',
];

const USAGE = `Usage: npm run test:matrix -- [<what Vitest takes>]

Every scenario of the public plane with all Durable Objects evicted before each of its steps, every command of an
installation killed before each of its steps, every store killed 200 times. Says how far it is, and at its end what was
played and whether all of it held. With arguments only the public plane, for example:
  npm run test:matrix -- test/edge/fleet

docs/proof.md says what npm test runs of it.`;
const more = process.argv.slice(2);
if (more.includes('--help') || more.includes('-h')) {
  console.log(USAGE);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'hm-matrix-'));
const file = join(folder, 'played.json');
const args = more.length > 0 ? ['--project', 'edge', ...more] : ['test/edge/', ...KILLED];
const env = { ...process.env, EVICTIONS: 'all', HERDR_MCP_MATRIX: '1', HERDR_MCP_MATRIX_PLAYED: file };
const vitest = join(ROOT, 'node_modules', '.bin', 'vitest');
try {
  const { status } = spawnSync(vitest, ['run', ...args], { cwd: ROOT, env, stdio: 'inherit' });
  const sum = sumIn(file);
  const { line, held } = closing(status ?? 1, sum);
  for (const one of [...(sum ? killed(sum) : []), line]) console.log(one);
  process.exitCode = held ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What the run wrote at its end; nothing when it did not come that far. */
function sumIn(path: string): Sum | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Sum) : undefined;
}
