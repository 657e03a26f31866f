/**
 * Writes docs/herdr-compatibility.md after a run against a real Herdr (HERDR_BIN): what was run, how it went, and the
 * differences that were met. Rows of other versions stay; the row of this version is replaced.
 *
 *   HERDR_BIN=/path vitest run --project herdr test/embedded-herdr/conformance --reporter=default --reporter=./test/embedded-herdr/compatibility-reporter.ts
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { compatibilityPage, type Run, runsOn } from './compatibility-page.ts';
import type { CompatibilityNotes } from './harness/differences.ts';

const PAGE = fileURLToPath(new URL('../../docs/herdr-compatibility.md', import.meta.url));

function runOf(version: string, modules: ReadonlyArray<TestModule>): Run {
  const run: Run = {
    version,
    date: new Date().toISOString().slice(0, 10),
    passed: 0,
    failed: [],
    skipped: 0,
    differences: [],
    turnIdentity: 'unknown',
  };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') run.passed += 1;
      else if (state === 'failed') run.failed.push(test.fullName);
      else run.skipped += 1;
      const { differences = [], turnIdentity } = test.meta() as CompatibilityNotes;
      run.differences.push(...differences.filter((id) => !run.differences.includes(id)));
      if (turnIdentity !== undefined) run.turnIdentity = turnIdentity ? 'yes' : 'no';
    }
  }
  run.differences.sort();
  return run;
}

export default class CompatibilityReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const binary = process.env['HERDR_BIN'];
    if (!binary) {
      console.log('no HERDR_BIN: this was the embedded server, and the compatibility page stays as it is');
      return;
    }
    const version = execFileSync(binary, ['--version'], { encoding: 'utf8' })
      .replace(/^herdr\s+/, '')
      .trim();
    const run = runOf(version, modules);
    const before = existsSync(PAGE) ? runsOn(readFileSync(PAGE, 'utf8')) : [];
    mkdirSync(dirname(PAGE), { recursive: true });
    writeFileSync(PAGE, compatibilityPage([...before.filter((other) => other.version !== version), run]));
    console.log(`wrote docs/herdr-compatibility.md for herdr ${version}`);
  }
}
