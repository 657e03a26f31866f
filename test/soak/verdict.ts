/** What the samples of a soak run say about each promise. Pure. */
import { FLAT, JUDGED_MS, LIFE_SAMPLES } from './limits.ts';
import type { Role, Seen } from './processes.ts';

export interface Sample {
  atMs: number;
  seen: readonly Pick<Seen, 'pid' | 'role' | 'rssMb' | 'fds' | 'threads'>[];
  /** Bytes by name. */
  sizes: Readonly<Record<string, number>>;
}

export interface Told {
  calls: number;
  /** One sentence per call that was not answered with what it did. */
  failed: readonly string[];
  /** One sentence per effect that is there twice, or not at all though its call was well. */
  doubled: readonly string[];
  /** Processes that were still there after the end. */
  left: readonly string[];
}

export interface Verdict {
  promise: string;
  held: boolean;
  why: string;
}

type Measure = 'rssMb' | 'fds' | 'threads';

/** One process over its life. */
interface Life {
  role: Role;
  values: { atMs: number; rssMb: number; fds: number; threads: number }[];
}

export interface Row {
  what: string;
  measure: Measure;
  /** What is {@link TYPICAL} of the first tenth, the second quarter and the last quarter. */
  start: number;
  early: number;
  late: number;
  perHour: number;
  /** How many processes had this role one after the other. */
  lives: number;
}

const MEASURES: readonly Measure[] = ['rssMb', 'fds', 'threads'];

/**
 * What stands for many samples. Of memory the median. Of what is opened for a call and closed after it the lowest: a leak
 * lifts that too, a busy quarter, in which connections are kept open for the next call, does not.
 */
const TYPICAL: Readonly<Record<Measure, (values: readonly number[]) => number>> = {
  rssMb: median,
  fds: lowest,
  threads: lowest,
};

/**
 * One row per part and measure. A part that lived through the run is compared by quarters of the run. Of one that was
 * replaced by promotions the lives are compared: the last third of the second with the last third of the last.
 */
function rowsOf(samples: readonly Sample[]): Row[] {
  const lives = livesOf(samples);
  const roles = new Set(lives.map(({ role }) => role).filter((role) => role !== 'other'));
  return [...roles].flatMap((role) => {
    const own = lives.filter((life) => life.role === role);
    return MEASURES.map((measure) => row(role, own, measure));
  });
}

function row(role: Role, lives: readonly Life[], measure: Measure): Row {
  const all = lives.flatMap(({ values }) => values).toSorted((a, b) => a.atMs - b.atMs);
  const numbers = (values: Life['values']) => values.map((one) => one[measure]);
  const typical = TYPICAL[measure];
  const start = typical(numbers(part(all, 0, 0.1)));
  const perHour = slopePerHour(all.map((one) => [one.atMs, one[measure]]));
  const base = { what: role, measure, start, perHour, lives: lives.length };
  const [early, late] = [lives[1] ?? lives[0], lives.at(-1)];
  if (lives.length === 1 || early === undefined || late === undefined) {
    return { ...base, early: typical(numbers(part(all, 0.25, 0.5))), late: typical(numbers(part(all, 0.75, 1))) };
  }
  const end = ({ values }: Life) => typical(numbers(part(values, 2 / 3, 1)));
  return { ...base, early: end(early), late: end(late) };
}

/** How much a life's last third stands above its middle third, for each life of some length. */
function growthInside(samples: readonly Sample[], role: Role, measure: Measure): { from: number; to: number }[] {
  return livesOf(samples)
    .filter((life) => life.role === role)
    .map(({ values }) => ({
      from: TYPICAL[measure](part(values, 1 / 3, 2 / 3).map((one) => one[measure])),
      to: TYPICAL[measure](part(values, 2 / 3, 1).map((one) => one[measure])),
    }));
}

/**
 * Each process of each part over its life. A child between fork and exec still looks like its parent: what was seen only
 * a few times counts only where nothing was seen longer.
 */
function livesOf(samples: readonly Sample[]): Life[] {
  const lives = new Map<string, Life>();
  for (const { atMs, seen } of samples) {
    for (const { pid, role, rssMb, fds, threads } of seen) {
      const key = `${role} ${pid}`;
      const life = lives.get(key) ?? { role, values: [] };
      life.values.push({ atMs, rssMb, fds, threads });
      lives.set(key, life);
    }
  }
  const all = [...lives.values()];
  const isFull = ({ values }: Life) => values.length >= LIFE_SAMPLES;
  return all
    .filter((life) => isFull(life) || !all.some((other) => other.role === life.role && isFull(other)))
    .map((life) => whileItServed(life, all.filter(isFull)));
}

/** Without what was seen when the next of its kind had come: it drains then, and has closed what it served with. */
function whileItServed(life: Life, full: readonly Life[]): Life {
  const begun = ({ values }: Life) => values[0]?.atMs ?? 0;
  const later = full.filter((other) => other.role === life.role && begun(other) > begun(life)).map(begun);
  const untilMs = Math.min(...later);
  return { ...life, values: life.values.filter(({ atMs }) => atMs < untilMs) };
}

export function verdictsOf(samples: readonly Sample[], told: Told): Verdict[] {
  const first = samples[0]?.atMs ?? 0;
  const last = samples.at(-1)?.atMs ?? 0;
  const isLong = last - first >= JUDGED_MS;
  const rows = rowsOf(samples);
  const others = samples.map(({ seen }) => seen.filter(({ role }) => role === 'other').length);
  const commands = { early: lowest(part(others, 0.25, 0.5)), late: lowest(part(others, 0.75, 1)) };
  const grown = (measure: Measure) => [
    ...rows.filter((one) => one.measure === measure && rises(one.early, one.late, FLAT[measure])).map(sentence),
    ...rows
      .filter((one) => one.measure === measure && one.lives > 1)
      .flatMap(({ what }) => {
        const inside = growthInside(samples, what as Role, measure);
        const from = median(inside.map((one) => one.from));
        const to = median(inside.map((one) => one.to));
        return rises(from, to, FLAT[measure]) ? [`${what} within a life from ${round(from)} to ${round(to)}`] : [];
      }),
  ];
  const flat = (promise: string, measure: Measure): Verdict => {
    if (!isLong) return { promise, held: true, why: `not judged below ${JUDGED_MS / 60_000} minutes` };
    const which = grown(measure);
    return { promise, held: which.length === 0, why: which.join('; ') };
  };
  const none = (promise: string, lines: readonly string[]): Verdict => ({
    promise,
    held: lines.length === 0,
    why: lines.length > 3 ? `${lines.length}, the first: ${lines.slice(0, 3).join('; ')}` : lines.join('; '),
  });
  return [
    flat('memory is flat', 'rssMb'),
    flat('no descriptor is left open', 'fds'),
    flat('no thread is left', 'threads'),
    none(
      'what callers start does not pile up',
      rises(commands.early, commands.late, FLAT.processes)
        ? [`from ${commands.early} to ${commands.late} processes`]
        : [],
    ),
    none(`no call of ${told.calls} failed`, told.failed),
    none('no effect is there twice or missing', told.doubled),
    none('no process is left behind', told.left),
  ];
}

/** Above both what a part of it would be and what is never worth a word. */
function rises(early: number, late: number, least: number): boolean {
  return late - early > Math.max(early * FLAT.part, least);
}

const sentence = ({ what, early, late }: Row) => `${what} from ${round(early)} to ${round(late)}`;

function part<T>(values: readonly T[], from: number, to: number): T[] {
  return values.slice(Math.floor(values.length * from), Math.max(1, Math.ceil(values.length * to)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function lowest(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.min(...values);
}

/** The slope of the straight line through the points, by least squares, for an hour of x in ms. */
function slopePerHour(points: readonly (readonly [number, number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / Math.max(1, points.length);
  const [mx, my] = [mean(([x]) => x), mean(([, y]) => y)];
  const above = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  const below = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  return below === 0 ? 0 : (above / below) * 3_600_000;
}

const round = (value: number) => Math.round(value * 10) / 10;

export function renderSoak(samples: readonly Sample[], verdicts: readonly Verdict[]): string {
  const head = ['part', 'measure', 'start', 'second quarter', 'last quarter', 'per hour', 'lives'];
  const cells = rowsOf(samples).map((one) =>
    [one.what, one.measure, ...[one.start, one.early, one.late, one.perHour].map(round), one.lives].map(String),
  );
  const [first, last] = [samples[0]?.sizes ?? {}, samples.at(-1)?.sizes ?? {}];
  const files = Object.keys(last)
    .filter((name) => (last[name] ?? 0) > 64 * 1024)
    .map((name) => [name, 'KiB', ...[first[name] ?? 0, middle(samples, name), last[name] ?? 0].map(kib), '', '']);
  const table = [head, ...cells, ...files];
  const widths = head.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const words = verdicts.map(
    ({ promise, held, why }) => `${held ? 'held' : 'NOT HELD'}  ${promise}${why && `: ${why}`}`,
  );
  return [...lines, '', ...words].join('\n');
}

const kib = (bytes: number) => String(Math.round(bytes / 1024));
const middle = (samples: readonly Sample[], name: string) =>
  median(part(samples, 0.25, 0.5).map(({ sizes }) => sizes[name] ?? 0));
