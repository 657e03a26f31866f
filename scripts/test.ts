/**
 * `npm test [-- <what vitest takes>]`: types, lint, unused code, the build, then all tests out of the built bundles.
 * A filtered run skips the static checks and is not held against the manifest of promises.
 * Closes with the line `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumPath } from '../test/extension/chromium.ts';
import { build, PARTS, ROOT } from './build/index.ts';

const filters = process.argv.slice(2);
const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);

const CHECKS: readonly { name: string; program: string; args: string[] }[] = [
  { name: 'types', program: bin('tsc'), args: ['-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types of the edge', program: bin('tsc'), args: ['-p', 'edge/tsconfig.json', '--noEmit'] },
  { name: 'types of the extension', program: bin('tsc'), args: ['-p', 'extension/tsconfig.json', '--noEmit'] },
  {
    name: 'types of the tests of the extension',
    program: bin('tsc'),
    args: ['-p', 'test/extension/tsconfig.json', '--noEmit'],
  },
  { name: 'lint and format', program: bin('biome'), args: ['ci', '.'] },
  { name: 'unused code', program: bin('knip'), args: [] },
];

const counts = { passed: 0, failed: 0 };
if (filters.length === 0) for (const check of CHECKS) await held(check.name, () => runs(check.program, check.args));
const built = await held('build', async () => {
  await build({ parts: PARTS, say: (line) => console.log(line) });
  return true;
});
if (filters.length === 0) await held('a Chromium for the extension', browser);
if (built) await tests();
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

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

/** Runs vitest and takes over its count; a vitest that says none has failed itself. */
async function tests(): Promise<void> {
  console.log('• tests');
  let said = '';
  const env = filters.length === 0 ? { HERDR_MCP_WHOLE_RUN: '1' } : {};
  const passed = await runs(bin('vitest'), ['run', ...filters], env, (text) => {
    said = (said + text).slice(-10_000);
  });
  const count = [...said.matchAll(/(\d+) passed, (\d+) failed/g)].at(-1);
  counts.passed += Number(count?.[1] ?? 0);
  counts.failed += Number(count?.[2] ?? 0);
  if (!passed && Number(count?.[2] ?? 0) === 0) counts.failed += 1;
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
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      heard(text);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}
