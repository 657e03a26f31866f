/**
 * Measuring: ours and the floor interleaved, in rounds, so that whatever else the machine does hits both alike. A
 * figure counts only as a ratio beside its floor in the same round; the ratio of a row is the median over the rounds.
 */

/** One thing to time; resolves when the measured work is done. */
export type Probe = () => Promise<unknown>;

export interface Sample {
  p50: number;
  p95: number;
}

export interface Comparison {
  /** Medians over the rounds, ms. */
  ours: Sample;
  floor: Sample;
  /** Median over the rounds of ours/floor. */
  ratio: Sample;
  rounds: number;
}

export interface ComparisonPlan {
  ours: Probe;
  floor: Probe;
  rounds?: number;
  /** Calls of each side in one round. */
  calls?: number;
  /** Calls of each side before the first round, to warm caches and compilers. */
  warmUp?: number;
  /** Awaited after each call and not timed: takes away what the call left behind. */
  afterwards?: Probe;
}

export async function compare({
  ours,
  floor,
  rounds = 7,
  calls = 100,
  warmUp = 100,
  afterwards,
}: ComparisonPlan): Promise<Comparison> {
  await times(ours, warmUp, afterwards);
  await times(floor, warmUp, afterwards);
  const samples: { ours: Sample; floor: Sample }[] = [];
  for (let round = 0; round < rounds; round++) {
    // Alternating who goes first keeps a drift of the machine from favouring one side.
    const first = round % 2 === 0;
    const a = await times(first ? ours : floor, calls, afterwards);
    const b = await times(first ? floor : ours, calls, afterwards);
    samples.push(first ? { ours: summary(a), floor: summary(b) } : { ours: summary(b), floor: summary(a) });
  }
  const over = (pick: (sample: { ours: Sample; floor: Sample }) => number) => median(samples.map(pick));
  return {
    rounds,
    ours: { p50: over((s) => s.ours.p50), p95: over((s) => s.ours.p95) },
    floor: { p50: over((s) => s.floor.p50), p95: over((s) => s.floor.p95) },
    ratio: { p50: over((s) => s.ours.p50 / s.floor.p50), p95: over((s) => s.ours.p95 / s.floor.p95) },
  };
}

/**
 * Calls of each side after which V8 has compiled what they run through: a path of ours is still getting faster after
 * 1,500 of them, a floor of twenty lines is done after a hundred. Both ends of a product's call run for weeks.
 */
const COMPILED_CALLS = 2_000;

/** The same as {@link compare} once both sides are compiled; `young` is the ratio at p50 over the calls before that. */
export async function compareCompiled(
  plan: Pick<ComparisonPlan, 'ours' | 'floor'>,
): Promise<Comparison & { young: number }> {
  const { ratio } = await compare({ ...plan, rounds: 5, calls: 100, warmUp: 100 });
  const settled = await compare({ ...plan, calls: 200, warmUp: COMPILED_CALLS });
  return { ...settled, young: ratio.p50 };
}

/** Times of `n` sequential calls, ms. */
export async function times(probe: Probe, n: number, afterwards?: Probe): Promise<number[]> {
  const list: number[] = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    await probe();
    list.push(performance.now() - start);
    await afterwards?.();
  }
  return list;
}

export function summary(list: readonly number[]): Sample {
  return { p50: percentile(list, 0.5), p95: percentile(list, 0.95) };
}

export function percentile(list: readonly number[], share: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

export function median(list: readonly number[]): number {
  return percentile(list, 0.5);
}
