/**
 * `npm run test:continuity`: the compatibility set of the browser's continuity, to be held by every change of the runtime
 * or of the way that events take: binding, one-shot settle, progress without repeats, refusal of stale sources, the
 * border of Native Messaging, the move of handoff and Queue, one version everywhere. Runs the test files that cite a
 * group (`verifies('compat.…')`) and fails when a group has no passed test. `npm test` runs the same tests.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, PARTS, ROOT } from './build/index.ts';

await build({ parts: PARTS, say: (line) => console.error(line) });
const tests = join(ROOT, 'test');
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join(tests, name))
  .filter((file) => readFileSync(file, 'utf8').includes("'compat."));
const child = spawn(join(ROOT, 'node_modules', '.bin', 'vitest'), ['run', '--project', 'unit', ...files], {
  cwd: ROOT,
  env: { ...process.env, HERDR_MCP_CONTINUITY: '1' },
  stdio: 'inherit',
});
child.once('close', (code) => {
  process.exitCode = code ?? 1;
});
