/** What `npm run test:matrix` says at its end. */
import { describe, expect, it } from 'vitest';
import { closing } from '../../scripts/matrix/closing.ts';

const played = { evictions: { count: 900, tests: 70 }, kills: { count: 607, tests: 1 } };
const facts = 'Played: 900 evictions in 70 tests, 607 kills in 1 tests';

describe('the last line of the matrix', () => {
  it('says what was played, and that all of it held', () => {
    const end = closing(0, { played, passed: 80, failed: [] });
    expect(end).toEqual({ line: `${facts}, 80 tests in all. All of it held.`, held: true });
  });

  it('names what did not hold, below it', () => {
    const end = closing(1, { played, passed: 79, failed: ['install leaves one whole release'] });
    const line = `${facts}, 80 tests in all. Not all of it held:\n  install leaves one whole release`;
    expect(end).toEqual({ line, held: false });
  });

  it.each([
    ['ended badly although no test failed', 1, { played, passed: 80, failed: [] }],
    ['played nothing', 0, { played: {}, passed: 0, failed: [] }],
    ['did not come to its end', 1, undefined],
  ])('says that it did not hold when the run %s', (_, status, sum) => {
    expect(closing(status, sum)).toMatchObject({ held: false, line: expect.stringMatching(/not/i) });
  });
});
