/**
 * For `npm run test:matrix`: says how far the long tests are, and hands the sum of what was played to the command, as JSON
 * in the file that HERDR_MCP_MATRIX_PLAYED names.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Disturbance, Played } from './played.ts';

export interface Sum {
  /** How many of each, and in how many tests. */
  played: { [what in Disturbance]?: { count: number; tests: number } };
  /** Of each test that kills something: its title, and how often. */
  killed: [title: string, kills: number][];
  passed: number;
  /** Titles of the tests that failed, and what failed outside of one. */
  failed: string[];
}

export default class MatrixReporter implements Reporter {
  onTestCaseAnnotate(test: TestCase, { message, type }: { message: string; type: string }): void {
    if (type === 'progress') console.log(`${new Date().toISOString().slice(11, 19)} ${message}: ${test.fullName}`);
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): void {
    const file = process.env.HERDR_MCP_MATRIX_PLAYED;
    if (file !== undefined) writeFileSync(file, JSON.stringify(sumOf(modules, unhandled)));
  }
}

function sumOf(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): Sum {
  const sum: Sum = { played: {}, killed: [], passed: 0, failed: unhandled.map(() => 'an error outside of every test') };
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    if (module.state() === 'failed' && tests.length === 0) sum.failed.push(module.relativeModuleId);
    for (const test of tests) add(sum, test);
  }
  return sum;
}

function add(sum: Sum, test: TestCase): void {
  const { state } = test.result();
  if (state === 'failed') sum.failed.push(test.fullName);
  if (state === 'passed') sum.passed += 1;
  const { played = {} } = test.meta() as { played?: Played };
  if (played.kills !== undefined) sum.killed.push([test.fullName, played.kills]);
  for (const [what, count] of Object.entries(played) as [Disturbance, number][]) {
    const so = sum.played[what] ?? { count: 0, tests: 0 };
    sum.played[what] = { count: so.count + count, tests: so.tests + 1 };
  }
}
