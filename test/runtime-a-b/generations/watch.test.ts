/** What a promotion makes of the looks at the generation that calls went to. */
import { describe, expect, it } from 'vitest';
import { afterLook, type Look, type Watch } from '../../../runtime-a-b/generations/supervisor/watch.ts';
import { verifies } from '../../verifies.ts';

const bad = { code: 'observed_inspect', reason: 'After the switch: herdr_inspect says internal_error.' };
const after = (...looks: Look[]): Watch => looks.reduce(afterLook, { passed: 0, missed: 0 });

describe('a generation that is watched', () => {
  it.each<[string, Look[], Watch]>([
    ['answers well', ['well', 'well'], { passed: 2, missed: 0 }],
    ['misses two looks', ['well', 'missed', 'missed'], { passed: 1, missed: 2 }],
    ['answers again', ['missed', 'missed', 'well'], { passed: 1, missed: 0 }],
    ['misses looks now and then', ['missed', 'missed', 'well', 'missed', 'missed'], { passed: 1, missed: 2 }],
    ['answers badly after a missed look', ['well', 'missed', bad], { passed: 1, missed: 0, trouble: bad }],
  ])('that %s', (_, looks, expected) => {
    verifies('ab.generations');
    expect(after(...looks)).toEqual(expected);
  });

  it('that misses three looks in a row may not stay, and it is said why', () => {
    verifies('ab.generations');
    expect(after('well', 'missed', 'missed', 'missed')).toMatchObject({
      trouble: { code: 'observed_silent', reason: expect.stringContaining('3 times in a row') },
    });
  });
});
