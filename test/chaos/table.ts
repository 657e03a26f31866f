/** What chaos ends with: a row a seed, one line a broken promise, and one sentence that says whether all was well. Pure. */
import type { FaultKind } from './plan.ts';

export interface ChaosReport {
  seed: number;
  calls: number;
  /** One line per broken promise. */
  broken: string[];
  /** How many calls heard what. */
  heard: Record<string, number>;
  /** Faults that struck; one that found its part already down is not counted. */
  struck: Partial<Record<FaultKind, number>>;
}

/** A seed that was played, or why it could not be. */
export type Played = ChaosReport | { seed: number; calls: number; failed: string };

const FAULTS: readonly FaultKind[] = ['runtime', 'switch', 'link', 'edge', 'cut', 'drop'];
const HEARD = ['delivered', 'not_delivered', 'unknown', 'nothing', 'odd'] as const;
const COLUMNS = ['seed', 'calls', ...FAULTS, ...HEARD, 'broken'];

/** Splits calls over seeds, `first` and the ones after it, so that none has more than one call above another. */
export function portions(calls: number, seeds: number, first: number): { seed: number; calls: number }[] {
  return Array.from({ length: seeds }, (_, n) => ({
    seed: first + n,
    calls: Math.floor(calls / seeds) + (n < calls % seeds ? 1 : 0),
  }));
}

export function renderChaos(played: readonly Played[]): string {
  const rows = played.map((one) =>
    'failed' in one
      ? [String(one.seed), String(one.calls), ...[...FAULTS, ...HEARD].map(() => ''), 'not played']
      : [String(one.seed), String(one.calls), ...countsOf(one).map(String), String(one.broken.length)],
  );
  const whole = played.filter((one): one is ChaosReport => !('failed' in one));
  const sums = whole.map(countsOf).reduce((all, counts) => counts.map((n, i) => n + (all[i] ?? 0)), [] as number[]);
  const calls = whole.reduce((sum, one) => sum + one.calls, 0);
  const broken = whole.flatMap((one) => one.broken);
  const failed = played.flatMap((one) =>
    'failed' in one ? [`seed ${one.seed}: could not be played: ${one.failed}`] : [],
  );
  return [
    ...aligned([COLUMNS, ...rows, ['all', String(calls), ...sums.map(String), String(broken.length)]]),
    ...broken,
    ...failed,
    `${broken.length} broken promises in ${calls} calls with ${whole.length} of ${played.length} seeds.`,
  ].join('\n');
}

export const isWell = (played: readonly Played[]): boolean =>
  played.every((one) => !('failed' in one) && one.broken.length === 0);

function countsOf({ struck, heard }: ChaosReport): number[] {
  const told = (what: string) =>
    Object.entries(heard).reduce((sum, [words, n]) => (words.split(' ')[0] === what ? sum + n : sum), 0);
  return [...FAULTS.map((kind) => struck[kind] ?? 0), ...HEARD.map(told)];
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}
