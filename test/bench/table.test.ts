import { describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { compare, percentile } from './measure.ts';
import { ratioRow, renderTable } from './table.ts';

describe('the benchmark', () => {
  it('interleaves ours and the floor and judges ratios, not times', async () => {
    verifies('bench.harness');
    const order: string[] = [];
    const side = (name: string) => async () => {
      order.push(name);
    };
    const comparison = await compare({ ours: side('o'), floor: side('f'), rounds: 4, calls: 2, warmUp: 1 });
    expect(order.join('')).toBe('of' + 'ooff' + 'ffoo' + 'ooff' + 'ffoo');
    expect(comparison.rounds).toBe(4);
  });

  it('says NO when a bar is missed, in p50 or p95 alone', () => {
    verifies('bench.harness');
    const sample = { p50: 1, p95: 1 };
    const comparison = { ours: sample, floor: sample, ratio: { p50: 1.9, p95: 3.1 }, rounds: 5 };
    const row = { id: 'P1', what: 'x', beside: 'y' };
    expect(ratioRow(row, comparison, { p50: 2, p95: 3 }).held).toBe(false);
    expect(ratioRow(row, comparison, { p50: 2 }).held).toBe(true);
    expect(renderTable([ratioRow(row, comparison, { p50: 1.5 })])).toMatch(/P1 .* NO$/m);
  });

  it('takes percentiles of what was measured', () => {
    expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(percentile([5, 1, 4, 2, 3], 0.95)).toBe(5);
    expect(() => percentile([], 0.5)).toThrow('nothing was measured');
  });
});
