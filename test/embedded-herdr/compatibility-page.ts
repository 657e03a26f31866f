/** The compatibility page as text, and back: runs in, Markdown out. Pure. */
import { DIFFERENCES, type DifferenceId } from './harness/differences.ts';

export interface Run {
  version: string;
  /** Day of the run, ISO. */
  date: string;
  passed: number;
  /** Full names of the tests that failed. */
  failed: string[];
  skipped: number;
  differences: DifferenceId[];
  turnIdentity: 'yes' | 'no' | 'unknown';
}

const DATA = /^<!-- runs: (.*) -->$/m;

/** The runs that a page tells of; none for a page that was not made here. */
export function runsOn(page: string): Run[] {
  const data = DATA.exec(page)?.[1];
  return data === undefined ? [] : (JSON.parse(data) as Run[]);
}

const byVersion = (a: Run, b: Run): number => b.version.localeCompare(a.version, 'en', { numeric: true });

export function compatibilityPage(runs: readonly Run[]): string {
  const sorted = [...runs].sort(byVersion);
  const met = [...new Set(sorted.flatMap((run) => run.differences))].sort();
  const failures = sorted.flatMap((run) => run.failed.map((name) => `- ${run.version}: ${name}`));
  return [
    '# Compatibility with Herdr',
    '',
    'Written by the conformance suite in `test/embedded-herdr/conformance/` when it runs against a real Herdr (`HERDR_BIN=/path npm run test:herdr`).',
    'The same tests run against the embedded server in `npm test`.',
    '',
    '| Herdr | run on | passed | failed | not for a real one | native turn identity |',
    '|---|---|---|---|---|---|',
    ...sorted.map(
      (run) =>
        `| ${run.version} | ${run.date} | ${run.passed} | ${run.failed.length} | ${run.skipped} | ${run.turnIdentity} |`,
    ),
    '',
    'Without a native turn identity no answer can be tied to one prompt for certain, so `exact_native_turn` stays false in every task.',
    '',
    '## Known differences that were met',
    '',
    ...met.map((id) => `- **${id}**: ${DIFFERENCES[id]}`),
    '',
    '## What failed',
    '',
    ...(failures.length === 0 ? ['Nothing.'] : failures),
    '',
    `<!-- runs: ${JSON.stringify(sorted)} -->`,
    '',
  ].join('\n');
}
