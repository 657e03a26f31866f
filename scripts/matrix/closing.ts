/** What `npm run test:matrix` says at its end. */
import type { Sum } from '../../test/matrix-reporter.ts';

/** A line for each test that killed something, those that did it most often first. */
export function killed({ killed }: Sum): string[] {
  const most = killed.toSorted(([, a], [, b]) => b - a);
  return most.map(([title, kills]) => `${String(kills).padStart(6)} kills: ${title}`);
}

/** The last line: what was played, and whether all of it held. `sum` is absent when the run did not come to its end. */
export function closing(status: number, sum: Sum | undefined): { line: string; held: boolean } {
  if (!sum) return { line: 'The matrix ended before it could say what it had played. It did not hold.', held: false };
  const played = Object.entries(sum.played).map(([what, { count, tests }]) => `${count} ${what} in ${tests} tests`);
  const facts = [...played, `${sum.passed + sum.failed.length} tests in all`].join(', ');
  const held = status === 0 && sum.failed.length === 0 && sum.passed > 0;
  if (held) return { line: `Played: ${facts}. All of it held.`, held };
  const failed = sum.failed.map((name) => `\n  ${name}`).join('');
  return { line: `Played: ${facts}. Not all of it held${failed === '' ? '.' : `:${failed}`}`, held };
}
