/** The rows of the benchmark, how one is judged, and how they are printed. Pure. */
import type { Comparison, Sample } from './measure.ts';

export interface Row {
  id: string;
  what: string;
  /** What stands beside ours. */
  beside: string;
  bar: string;
  held: boolean;
  ours?: Sample;
  floor?: Sample;
  ratio?: Sample;
  /** For rows that are no comparison of times, and peers that are only printed. */
  facts?: Record<string, number | string>;
}

/** A row that compares times, held when both ratios keep their bar. */
export function ratioRow(
  row: Pick<Row, 'id' | 'what' | 'beside'>,
  comparison: Comparison,
  bar: { p50: number; p95?: number },
  facts?: Record<string, number | string>,
): Row {
  return {
    ...row,
    bar: `p50 ≤ ${bar.p50}×${bar.p95 === undefined ? '' : `, p95 ≤ ${bar.p95}×`}`,
    held: comparison.ratio.p50 <= bar.p50 && (bar.p95 === undefined || comparison.ratio.p95 <= bar.p95),
    ours: comparison.ours,
    floor: comparison.floor,
    ratio: comparison.ratio,
    ...(facts === undefined ? {} : { facts }),
  };
}

/** A row that compares times, held when ours takes at most so many ms more than the floor, at p50. */
export function differenceRow(
  row: Pick<Row, 'id' | 'what' | 'beside'>,
  comparison: Comparison,
  barMs: number,
  facts?: Record<string, number | string>,
): Row {
  const above = comparison.ours.p50 - comparison.floor.p50;
  return {
    ...row,
    bar: `p50 ≤ ${barMs} ms above`,
    held: above <= barMs,
    ours: comparison.ours,
    floor: comparison.floor,
    ratio: comparison.ratio,
    facts: { 'ms above at p50': above.toFixed(2), ...facts },
  };
}

export function renderTable(rows: readonly Row[]): string {
  const head = ['row', 'what', 'ours p50/p95 ms', 'floor p50/p95 ms', 'ratio', 'bar', 'held'];
  const body = rows.map((row) => [
    row.id,
    row.what,
    pair(row.ours),
    pair(row.floor),
    row.ratio === undefined ? facts(row) : `${row.ratio.p50.toFixed(2)}/${row.ratio.p95.toFixed(2)}`,
    row.bar,
    row.held ? 'yes' : 'NO',
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...body.map((cells) => cells[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const notes = rows
    .filter((row) => row.ratio !== undefined && row.facts !== undefined)
    .map((row) => `${row.id}: ${facts(row)}`);
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line), ...notes].join('\n');
}

function pair(sample: Sample | undefined): string {
  return sample === undefined ? '' : `${sample.p50.toFixed(2)}/${sample.p95.toFixed(2)}`;
}

function facts(row: Row): string {
  return Object.entries(row.facts ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
