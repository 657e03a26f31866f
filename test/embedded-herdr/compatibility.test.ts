import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { compatibilityPage, runsOn } from './compatibility-page.ts';

const page = readFileSync(new URL('../../docs/herdr-compatibility.md', import.meta.url), 'utf8');

it('the compatibility page is what the runs on it give, and names for each Herdr how many tests held', () => {
  verifies('herdr.conformance');
  const runs = runsOn(page);
  expect(page).toBe(compatibilityPage(runs));
  expect(runs.length).toBeGreaterThanOrEqual(2);
  for (const run of runs) {
    expect(run.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(run.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(run.passed).toBeGreaterThan(100);
  }
  expect(runs.some((run) => run.version.startsWith('0.7.5'))).toBe(true);
});
