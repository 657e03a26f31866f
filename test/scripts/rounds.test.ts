/** `npm test -- --repeat N`: who fails now and then is named, with how often. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { ROOT } from '../../scripts/build/index.ts';
import { ROUNDS_MAX } from '../../scripts/test/limits.ts';
import { failuresIn, renderRounds, repeatOf } from '../../scripts/test/rounds.ts';

const RUN_MS_MAX = 100_000;

describe('the command line', () => {
  test.each<[string[], number | null, string[]]>([
    [[], null, []],
    [['--project', 'unit'], null, ['--project', 'unit']],
    [['--repeat', '20', '--project', 'unit'], 20, ['--project', 'unit']],
    [['--project', 'unit', '--repeat=3'], 3, ['--project', 'unit']],
    [['--repeat', String(ROUNDS_MAX)], ROUNDS_MAX, []],
  ])('%j', (args, rounds, rest) => {
    expect(repeatOf(args)).toEqual({ rounds, rest });
  });

  test.each([[['--repeat']], [['--repeat', '0']], [['--repeat', String(ROUNDS_MAX + 1)]], [['--repeat=2.5']]])(
    '%j is refused before anything starts',
    (args) => {
      expect(() => repeatOf(args)).toThrow(/nothing was started/);
    },
  );
});

describe('what a report names', () => {
  const passed = { fullName: 'a b', status: 'passed', failureMessages: [] };

  test('each test that failed by file and names, with the first line that it said', () => {
    const failed = { fullName: 'a c', status: 'failed', failureMessages: ['\u001b[31mError: no\u001b[39m\n  at x'] };
    const file = { name: '/r/test/a.test.ts', status: 'failed', message: '', assertionResults: [passed, failed] };
    expect(failuresIn({ testResults: [file] }, '/r')).toEqual([{ test: 'test/a.test.ts > a c', said: 'Error: no' }]);
  });

  test('a file that did not load, and none that passed', () => {
    const broken = { name: '/r/test/b.test.ts', status: 'failed', message: 'SyntaxError\nmore', assertionResults: [] };
    const well = { name: '/r/test/a.test.ts', status: 'passed', message: '', assertionResults: [passed] };
    expect(failuresIn({ testResults: [well, broken] }, '/r')).toEqual([
      { test: 'test/b.test.ts', said: 'SyntaxError' },
    ]);
  });

  test('is told most often first', () => {
    const tests = [{ test: 'test/a.test.ts > a', times: 3, said: 'Error: no' }];
    expect(renderRounds({ rounds: 20, failed: 3, tests })).toBe(
      '20 rounds: 17 without a failure, 3 with one\n   3 of 20  test/a.test.ts > a: Error: no',
    );
  });
});

describe('npm test -- --repeat', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hm-rounds-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The command over tests of its own. */
  function repeat(rounds: number, body: string) {
    writeFileSync(join(folder, 'vitest.config.mjs'), 'export default { test: { globals: true } };\n');
    writeFileSync(join(folder, 'fixture.test.mjs'), body);
    const script = join(ROOT, 'scripts', 'test.ts');
    return run(process.execPath, [script, '--repeat', String(rounds), '--root', folder], {
      cwd: ROOT,
      timeoutMs: RUN_MS_MAX,
    });
  }

  test('counts who fails now and then over all rounds, and ends with 1', async () => {
    const tally = join(folder, 'rounds');
    writeFileSync(tally, '');
    const { code, stdout } = await repeat(
      2,
      `import { appendFileSync, readFileSync } from 'node:fs';
       test('holds', () => {});
       test('fails in the first round', () => {
         appendFileSync(${JSON.stringify(tally)}, 'x');
         if (readFileSync(${JSON.stringify(tally)}, 'utf8') === 'x') throw new Error('only now and then');
       });`,
    );
    const said = stdout.toString();
    expect(readFileSync(tally, 'utf8')).toBe('xx');
    expect(said).toContain('2 rounds: 1 without a failure, 1 with one');
    expect(said).toMatch(/^ {2}1 of 2 .*fixture\.test\.mjs > fails in the first round: Error: only now and then$/m);
    // The build is counted as in every run, once.
    expect(said.trimEnd().split('\n').at(-1)).toBe('4 passed, 1 failed');
    expect(code).toBe(1);
  });
});
