import { describe, expect, it } from 'vitest';
import { isWell, type Played, portions, renderChaos } from './table.ts';

const well: Played = {
  ...{ seed: 7, calls: 200, broken: [] },
  ...{ struck: { runtime: 3, switch: 4 }, heard: { 'delivered ok': 190, 'unknown interrupted': 4, nothing: 6 } },
};

describe('the end of a chaos run', () => {
  it('is a row a seed, their sum, each broken promise with its seed, and one sentence', () => {
    const bad = { ...well, seed: 8, broken: ['seed 8: call 3 (run): doubled'] };
    const lines = renderChaos([well, bad, { seed: 9, calls: 200, failed: 'the link could not be started' }]).split(
      '\n',
    );
    expect(lines[0]?.trim().split(/ +/)).toEqual(
      'seed calls runtime switch link edge cut drop delivered not_delivered unknown nothing odd broken'.split(' '),
    );
    expect(lines[1]?.trim().split(/ +/)).toEqual('7 200 3 4 0 0 0 0 190 0 4 6 0 0'.split(' '));
    expect(lines[3]).toMatch(/^ +9 +200 +not played$/);
    expect(lines[4]?.trim().split(/ +/)).toEqual('all 400 6 8 0 0 0 0 380 0 8 12 0 1'.split(' '));
    expect(lines.slice(5)).toEqual([
      'seed 8: call 3 (run): doubled',
      'seed 9: could not be played: the link could not be started',
      '1 broken promises in 400 calls with 2 of 3 seeds.',
    ]);
    expect([isWell([well]), isWell([well, bad]), isWell([{ seed: 9, calls: 1, failed: 'x' }])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has played every call with some seed', () => {
    expect(portions(2000, 10, 5)).toEqual(Array.from({ length: 10 }, (_, n) => ({ seed: 5 + n, calls: 200 })));
    expect(portions(7, 3, 0).map(({ calls }) => calls)).toEqual([3, 2, 2]);
  });
});
