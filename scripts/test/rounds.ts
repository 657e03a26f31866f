/**
 * `npm test -- --repeat N`: the same tests again and again, and how often each of them failed. One that fails now and then
 * is found so, and one that was mended is shown to hold.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROUNDS_MAX, SAID_CHARS_MAX } from './limits.ts';

/** One test that failed in a round: its file and names, and the first line of what it said. */
export interface Failure {
  test: string;
  said: string;
}

/** What all rounds came to. `failed`: in how many of them something failed. */
export interface Rounds {
  rounds: number;
  failed: number;
  /** By test, those that failed most often first. `said`: what it said the first time. */
  tests: { test: string; times: number; said: string }[];
}

/** What Vitest's JSON report says of a run, as far as it is read here. */
interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** Takes `--repeat N` out of the arguments; what is left is for Vitest. Throws when N is no whole number that can be played. */
export function repeatOf(args: readonly string[]): { rounds: number | null; rest: string[] } {
  const at = args.findIndex((arg) => arg === '--repeat' || arg.startsWith('--repeat='));
  if (at < 0) return { rounds: null, rest: [...args] };
  const [first = '', next = ''] = args.slice(at);
  const isApart = first === '--repeat';
  const said = isApart ? next : first.slice('--repeat='.length);
  if (!/^[0-9]+$/.test(said) || Number(said) < 1 || Number(said) > ROUNDS_MAX) {
    throw new Error(`--repeat takes a whole number from 1 to ${ROUNDS_MAX}, not "${said}"; nothing was started.`);
  }
  return { rounds: Number(said), rest: args.toSpliced(at, isApart ? 2 : 1) };
}

/** Each test that failed by a report, and each file that failed before it had any. Paths are relative to `root`. */
export function failuresIn(report: Report, root: string): Failure[] {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults
      .filter((one) => one.status === 'failed')
      .map((one) => ({ test: `${file} > ${one.fullName}`, said: firstLine(one.failureMessages[0] ?? '') }));
    return failed.length === 0 && status === 'failed' ? [{ test: file, said: firstLine(message) }] : failed;
  });
}

/**
 * Plays the rounds one after another; all of them, whatever fails. `run` runs the tests once, has Vitest write its JSON
 * report to the given path, and resolves with whether all was well.
 */
export async function playRounds(
  rounds: number,
  root: string,
  run: (report: string) => Promise<boolean>,
  say: (line: string) => void,
): Promise<Rounds> {
  const folder = mkdtempSync(join(tmpdir(), 'hm-rounds-'));
  const tests = new Map<string, { times: number; said: string }>();
  let failed = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      say(`• round ${round} of ${rounds}`);
      const report = join(folder, `${round}.json`);
      if (await run(report)) continue;
      failed += 1;
      for (const { test, said } of failuresOf(report, root)) {
        say(`✗ ${test}: ${said}`);
        const before = tests.get(test);
        tests.set(test, { times: (before?.times ?? 0) + 1, said: before?.said ?? said });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const most = [...tests].map(([test, found]) => ({ test, ...found })).sort((a, b) => b.times - a.times);
  return { rounds, failed, tests: most };
}

/** One line for all rounds, and one for each test that failed in any of them. */
export function renderRounds({ rounds, failed, tests }: Rounds): string {
  const wide = String(rounds).length;
  return [
    `${rounds} rounds: ${rounds - failed} without a failure, ${failed} with one`,
    ...tests.map(({ test, times, said }) => `  ${String(times).padStart(wide)} of ${rounds}  ${test}: ${said}`),
  ].join('\n');
}

/** A run that failed and names no test has failed itself: outside of all tests, or before it came to one. */
function failuresOf(path: string, root: string): Failure[] {
  const itself = { test: '(the run itself)', said: 'it failed, and no test of it' };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return [{ ...itself, said: `there is no report: ${error instanceof Error ? error.message : String(error)}` }];
  }
  const found = failuresIn(JSON.parse(text) as Report, root);
  return found.length === 0 ? [itself] : found;
}

/** Without colours, as far as it is shown. */
const firstLine = (text: string): string =>
  (stripVTControlCharacters(text).split('\n')[0] ?? '').slice(0, SAID_CHARS_MAX);
