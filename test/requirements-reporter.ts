/**
 * Holds the run against test/requirements.ts: every promise is cited by a passed test or stands in the list of ids
 * still owed, and no owed id is already shown; and against docs/requirements.md: every behaviour on it is shown by the
 * test that it names. Judged only for whole runs; a filtered run is reported as such.
 * Of the compatibility set (`npm run test:continuity`) each group needs a passed test, whatever else is run.
 * Closes with the plain line `N passed, N failed`.
 */
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { behavioursOf, ROOT, requirementsPage } from './docs/promises.ts';
import { OWED, REQUIREMENTS } from './requirements.ts';

export default class RequirementsReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const shown = new Set<string>();
    const problems: string[] = [];
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed += 1;
      for (const test of module.children.allTests()) count(test, counts, shown, problems);
    }
    counts.failed += unhandled.length;
    if (process.env.HERDR_MCP_WHOLE_RUN === '1') {
      problems.push(...unfulfilled(shown), ...unshown(modules));
      if (counts.skipped > 0) problems.push(`${counts.skipped} tests were skipped`);
    }
    if (process.env.HERDR_MCP_CONTINUITY === '1') {
      const groups = Object.keys(REQUIREMENTS).filter((id) => id.startsWith('compat.'));
      for (const id of groups) if (!shown.has(id)) problems.push(`the group ${id} has no passed test`);
    }
    for (const problem of problems) console.error(`requirement: ${problem}`);
    if (problems.length > 0) {
      counts.failed += problems.length;
      process.exitCode = 1;
      this.#vitest?.logger.error(`${problems.length} promises are not in order`);
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
  }
}

function count(
  test: TestCase,
  counts: { passed: number; failed: number; skipped: number },
  shown: Set<string>,
  problems: string[],
): void {
  const state = test.result().state;
  if (state === 'passed') counts.passed += 1;
  else if (state === 'failed') counts.failed += 1;
  else counts.skipped += 1;
  for (const id of citedBy(test)) {
    if (!Object.hasOwn(REQUIREMENTS, id)) problems.push(`"${test.fullName}" cites unknown id ${id}`);
    else if (state === 'passed') shown.add(id);
  }
}

const citedBy = (test: TestCase): string[] => (test.meta() as { verifies?: string[] }).verifies ?? [];

/** What the page says and no test of that name has shown: it has failed, or cites another promise. */
function unshown(modules: ReadonlyArray<TestModule>): string[] {
  const passed = new Map<string, TestCase[]>();
  for (const module of modules) {
    const file = relative(ROOT, module.moduleId);
    const tests = [...module.children.allTests()].filter((test) => test.result().state === 'passed');
    passed.set(file, [...(passed.get(file) ?? []), ...tests]);
  }
  return behavioursOf(requirementsPage())
    .filter(({ id, test, title }) => {
      const named = (passed.get(test) ?? []).filter(({ fullName }) => fullName.includes(title));
      return !named.some((one) => citedBy(one).includes(id));
    })
    .map(({ place, says, id, test, title }) => `"${says}" (${place}): no passed "${title}" of ${test} cites ${id}`);
}

function unfulfilled(shown: ReadonlySet<string>): string[] {
  const owed = new Map(Object.entries(OWED).flatMap(([issue, ids]) => ids.map((id) => [id as string, issue] as const)));
  const missing = Object.keys(REQUIREMENTS)
    .filter((id) => !shown.has(id) && !owed.has(id))
    .map((id) => `${id} is cited by no passed test and owed by no issue`);
  const paid = [...owed]
    .filter(([id]) => shown.has(id))
    .map(([id, issue]) => `${id} is shown and still listed as owed by "${issue}"`);
  return [...missing, ...paid];
}
