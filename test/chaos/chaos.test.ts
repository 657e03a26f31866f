import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { runChaos } from './index.ts';

it('while link, runtime and workerd are killed and sockets cut, no call is doubled and none is told a lie', async () => {
  verifies('link.chaos');
  const report = await runChaos({ calls: 60, seed: 7 });
  expect(report.broken).toEqual([]);
  expect(Object.values(report.heard).reduce((sum, n) => sum + n, 0)).toBe(60);
  expect(report.struck).toMatchObject({
    runtime: expect.any(Number),
    link: expect.any(Number),
    edge: expect.any(Number),
    cut: expect.any(Number),
  });
});
