import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { runChaos } from './index.ts';

it('while link, runtime and workerd are killed and sockets cut, no call is doubled and none is told a lie', async () => {
  verifies('link.chaos');
  const report = await runChaos({ calls: 60, seed: 7 });
  expect(report.broken).toEqual([]);
  expect(Object.values(report.heard).reduce((sum, n) => sum + n, 0)).toBe(60);
  // Which fault finds its part already down differs from run to run; that none strikes cannot be.
  const { runtime = 0, link = 0, edge = 0 } = report.struck;
  expect(runtime + link + edge).toBeGreaterThan(0);
});
