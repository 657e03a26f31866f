/** What `npm run test:matrix` says at its end. */
import { describe, expect, it } from 'vitest';
import { closing, killed } from '../../scripts/matrix/closing.ts';

const played = { evictions: { count: 900, tests: 70 }, kills: { count: 607, tests: 1 } };
const none = { killed: [], failed: [] };
const facts = 'Played: 900 evictions in 70 tests, 607 kills in 1 tests';

describe('the last lines of the matrix', () => {
  it('say of each test that killed something how often, the most first', () => {
    const sum = {
      ...none,
      played,
      passed: 2,
      killed: [
        ['pause', 13],
        ['install', 607],
      ] satisfies [string, number][],
    };
    expect(killed(sum)).toEqual(['   607 kills: install', '    13 kills: pause']);
  });

  it('says what was played, and that all of it held', () => {
    const end = closing(0, { ...none, played, passed: 80 });
    expect(end).toEqual({ line: `${facts}, 80 tests in all. All of it held.`, held: true });
  });

  it('names what did not hold, below it', () => {
    const end = closing(1, { ...none, played, passed: 79, failed: ['install leaves one whole release'] });
    const line = `${facts}, 80 tests in all. Not all of it held:\n  install leaves one whole release`;
    expect(end).toEqual({ line, held: false });
  });

  it.each([
    ['ended badly although no test failed', 1, { ...none, played, passed: 80 }],
    ['played nothing', 0, { ...none, played: {}, passed: 0 }],
    ['did not come to its end', 1, undefined],
  ])('says that it did not hold when the run %s', (_, status, sum) => {
    expect(closing(status, sum)).toMatchObject({ held: false, line: expect.stringMatching(/not/i) });
  });
});
