/** The tests' own order names files that are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONGEST } from '../sequencer.ts';

it('what begins first is there, once', () => {
  const tests = join(import.meta.dirname, '..');
  expect(LONGEST.filter((name) => !existsSync(join(tests, `${name}.test.ts`)))).toEqual([]);
  expect(new Set(LONGEST).size).toBe(LONGEST.length);
});
