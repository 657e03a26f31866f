/**
 * `npm test [-- <what vitest takes>]`: the build, then all tests out of the built bundles; beside them, one after another,
 * lint, unused code and types, because tests wait a lot. A filtered run skips the static checks and is not held against
 * the manifest of promises. `--repeat N` runs the tests N times over and says how often each of them failed.
 * Closes with the line `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '../local/spawn/index.ts';
import { chromiumPath } from '../test/extension/chromium.ts';
import { build, PARTS, ROOT } from './build/index.ts';
import { CHECK_MS_MAX } from './test/limits.ts';
import { playRounds, renderRounds, repeatOf } from './test/rounds.ts';

const USAGE = `Usage: npm test [-- [--repeat N] [<what Vitest takes>]]

The build, then all tests; beside them lint, unused code and types. With something for Vitest only the tests that it names:
  npm test -- --project unit test/contract

  --repeat N   the tests N times over, and how often each of them failed

docs/proof.md says what else there is.`;

const { rounds, rest: filters } = repeatOf(process.argv.slice(2));
if (filters.includes('--help') || filters.includes('-h')) {
  console.log(USAGE);
  process.exit();
}
const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);

/** Several checkers would each work out most of the types anew: twice the work on two cores, and the tests want both. */
const types = (name: string, project: string): Check => ({
  name,
  program: bin('tsc'),
  args: ['-p', project, '--noEmit', '--checkers', '1'],
});

/** Those that look at every file of the checkout come first: no test has begun to write there. */
const CHECKS: readonly Check[] = [
  { name: 'lint and format', program: bin('biome'), args: ['ci', '.'] },
  { name: 'unused code', program: bin('knip'), args: [] },
  types('types', 'tsconfig.json'),
  types('types of the edge', 'edge/tsconfig.json'),
  types('types of the extension', 'extension/tsconfig.json'),
  types('types of the tests of the extension', 'test/extension/tsconfig.json'),
];

/** What workerd says of every object that a test removes at its end, and where in its own program it was. */
const REMARKS =
  /^exception = workerd\/api\/unsafe\.c\+\+.*deleteAllDurableObjects\(\)|^stack:( \S*\/workerd@[0-9a-f]+)+$/;

const counts = { passed: 0, failed: 0 };
const checked = filters.length === 0 ? inTurn(CHECKS) : [];
const chromium = filters.length === 0 ? browser() : undefined; // where it is missing it comes beside the build
chromium?.catch(() => undefined); // told when it is asked for
const built = await held('build', async () => {
  await build({ parts: PARTS, say: (line) => console.log(line) });
  return true;
});
if (chromium !== undefined) await held('a Chromium for the extension', () => chromium);
if (built && rounds === null) await tests();
if (built && rounds !== null) await repeated(rounds);
for (const { name, ended } of checked) await held(name, () => ended);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

interface Check {
  name: string;
  program: string;
  args: string[];
}

/** Runs one after another in the background. What one has to say is said at its end, when it is not well. */
function inTurn(checks: readonly Check[]): { name: string; ended: Promise<boolean> }[] {
  let before: Promise<unknown> = Promise.resolve();
  return checks.map(({ name, program, args }) => {
    const ended = before.then(async () => {
      const { code, stdout, stderr } = await run(program, args, { cwd: ROOT, timeoutMs: CHECK_MS_MAX });
      if (code !== 0) console.error(`${name}:\n${stdout.toString()}${stderr.toString()}`);
      return code === 0;
    });
    before = ended.catch(() => undefined);
    return { name, ended };
  });
}

/** One check: says what it does, counts how it ended. */
async function held(name: string, check: () => Promise<boolean>): Promise<boolean> {
  console.log(`• ${name}`);
  const passed = await check().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return false;
  });
  if (!passed) console.error(`✗ ${name}`);
  counts[passed ? 'passed' : 'failed'] += 1;
  return passed;
}

/** The system's Chromium; where it is missing and we may, the system's package manager brings it. */
async function browser(): Promise<boolean> {
  if (hasChromium()) return true;
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall) {
    console.error('Chromium is missing. Install it with the package manager, or name one with CHROMIUM_BIN.');
    return false;
  }
  console.log('  Chromium is missing; apt-get installs it.');
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const ready = await runs('/usr/bin/apt-get', ['update', '-qq'], env);
  return ready && (await runs('/usr/bin/apt-get', ['install', '-y', '-qq', 'chromium'], env)) && hasChromium();
}

function hasChromium(): boolean {
  try {
    return existsSync(chromiumPath());
  } catch {
    return false;
  }
}

/** All rounds, and after them what failed in any. */
async function repeated(times: number): Promise<void> {
  const ours = join(ROOT, 'test', 'requirements-reporter.ts');
  const played = await playRounds(
    times,
    ROOT,
    (report) => tests([`--reporter=${ours}`, '--reporter=json', `--outputFile.json=${report}`]),
    (line) => console.log(line),
  );
  console.log(renderRounds(played));
}

/**
 * Runs vitest, takes over its count, and resolves with whether all was well; a vitest that fails and says no count of it
 * has failed itself.
 */
async function tests(more: readonly string[] = []): Promise<boolean> {
  console.log('• tests');
  let said = '';
  const env = filters.length === 0 ? { HERDR_MCP_WHOLE_RUN: '1' } : {};
  const passed = await runs(bin('vitest'), ['run', ...filters, ...more], env, (text) => {
    said = (said + text).slice(-10_000);
  });
  const count = [...said.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  counts.passed += Number(count?.[1] ?? 0);
  counts.failed += Number(count?.[2] ?? 0);
  if (!passed && Number(count?.[2] ?? 0) === 0) counts.failed += 1;
  return passed;
}

/** Whether a program ended with 0. It writes to our own streams; stdout is also handed to `heard`. */
function runs(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  heard: (text: string) => void = () => undefined,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!REMARKS.test(line)) console.error(line);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      heard(text);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}
