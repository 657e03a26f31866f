import { expect, it } from 'vitest';
import { Settled } from '../../../runtime-a-b/exec/settled.ts';
import { verifies } from '../../verifies.ts';

it('an end that is written down is looked for once, however often the sessions are listed', () => {
  verifies('exec.background');
  const written = new Set(['/exec/two/done.json']);
  const looks: string[] = [];
  const settled = new Settled('/exec', (path) => {
    looks.push(path);
    return written.has(path);
  });
  expect(settled.open(['three', 'two', 'one'])).toEqual(['three', 'one']);
  written.add('/exec/one/done.json');
  expect(settled.open(['three', 'two', 'one'])).toEqual(['three']);
  expect(settled.open(['three', 'two', 'one'])).toEqual(['three']);
  expect(looks.filter((path) => path.includes('/two/'))).toHaveLength(1);
  expect(looks.filter((path) => path.includes('/one/'))).toHaveLength(2);
});
