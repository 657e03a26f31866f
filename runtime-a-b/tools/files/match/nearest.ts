/**
 * Where a text that was not found almost stands: the places at which most of its lines agree, and for each the first line
 * that does not, as it is in the file and as it was expected (reports: "Where does the context differ?"). Pure.
 */

export interface NearMiss {
  /** First line of the place, from 1. */
  line: number;
  /** Lines that agree before the first difference, and in all. */
  matched_before: number;
  matched: number;
  of: number;
  /** Absent when the file ends before the text does and all before agrees. */
  first_difference: { line: number; expected: string; found: string | null; hint?: string };
}

/** A line that is equal apart from space at its ends is worth less than an equal one. */
const SAME = 3;
const ALMOST = 2;

/** A text that occurs this often says nothing about the place. */
const COMMON_MAX = 50;

/** Single lines are compared by likeness only in files up to this many lines. */
const ALIKE_LINES_MAX = 20_000;
const ALIKE_MIN = 0.5;

export interface NearestOptions {
  /** At most this many places. */
  max: number;
  /** Lines are quoted up to this many characters. */
  quote: number;
  /** The first and the last wanted line may be parts of lines. */
  partialEnds: boolean;
}

/** The best places first; empty when nothing in the file is like the text. */
export function nearestPlaces(file: readonly string[], wanted: readonly string[], options: NearestOptions): NearMiss[] {
  const starts = vote(file, wanted);
  const places = [...new Set(starts)].map((start) => compare(file, wanted, start, options));
  return places
    .filter((place) => place !== undefined)
    .sort((a, b) => b.matched - a.matched || b.matched_before - a.matched_before || a.line - b.line)
    .slice(0, options.max);
}

/** Starting lines for which most equal lines speak, best first. */
function vote(file: readonly string[], wanted: readonly string[]): number[] {
  const byText = new Map<string, number[]>();
  wanted.forEach((line, index) => {
    const key = line.trim();
    if (key !== '') byText.set(key, [...(byText.get(key) ?? []), index]);
  });
  const votes = new Map<number, number>();
  const uses = new Map<string, number>();
  file.forEach((line, index) => {
    const key = line.trim();
    const positions = byText.get(key);
    if (positions === undefined) return;
    const used = (uses.get(key) ?? 0) + 1;
    uses.set(key, used);
    if (used > COMMON_MAX) return;
    for (const position of positions) {
      const start = index - position;
      votes.set(start, (votes.get(start) ?? 0) + (line === wanted[position] ? SAME : ALMOST));
    }
  });
  const best = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([start]) => start);
  return best.length > 0 ? best.slice(0, 10) : alike(file, wanted);
}

/** When no line agrees: lines like the longest wanted one. */
function alike(file: readonly string[], wanted: readonly string[]): number[] {
  if (file.length > ALIKE_LINES_MAX) return [];
  const longest = wanted.reduce(
    (best, line, index) => (line.trim().length > (wanted[best] ?? '').trim().length ? index : best),
    0,
  );
  const target = pairsOf((wanted[longest] ?? '').trim());
  if (target.size === 0) return [];
  return file
    .map((line, index) => ({ start: index - longest, likeness: likeness(target, line.trim()) }))
    .filter(({ likeness }) => likeness >= ALIKE_MIN)
    .sort((a, b) => b.likeness - a.likeness || a.start - b.start)
    .slice(0, 5)
    .map(({ start }) => start);
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < Math.min(text.length, 500); at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Share of letter pairs that two lines have in common, 0 to 1 (Dice). */
function likeness(target: ReadonlyMap<string, number>, text: string): number {
  const own = pairsOf(text);
  let common = 0;
  let all = 0;
  for (const count of target.values()) all += count;
  for (const [pair, count] of own) {
    common += Math.min(count, target.get(pair) ?? 0);
    all += count;
  }
  return all === 0 ? 0 : (2 * common) / all;
}

function compare(
  file: readonly string[],
  wanted: readonly string[],
  start: number,
  options: NearestOptions,
): NearMiss | undefined {
  let matched = 0;
  let before = 0;
  let first: NearMiss['first_difference'] | undefined;
  wanted.forEach((expected, index) => {
    const found = file[start + index];
    if (found !== undefined && agrees(found, expected, index, wanted.length, options.partialEnds)) {
      matched += 1;
      if (first === undefined) before += 1;
    } else first ??= difference(start + index + 1, expected, found, options.quote);
  });
  if (first === undefined) return undefined;
  return { line: Math.max(1, start + 1), matched_before: before, matched, of: wanted.length, first_difference: first };
}

function agrees(found: string, expected: string, index: number, count: number, partialEnds: boolean): boolean {
  if (found === expected) return true;
  if (!partialEnds) return false;
  if (count === 1) return found.includes(expected);
  return (index === 0 && found.endsWith(expected)) || (index === count - 1 && found.startsWith(expected));
}

function difference(
  line: number,
  expected: string,
  found: string | undefined,
  quote: number,
): NearMiss['first_difference'] {
  if (found === undefined)
    return {
      line: Math.max(1, line),
      expected: cut(expected, 0, quote),
      found: null,
      hint: 'the file has no such line',
    };
  let at = 0;
  while (at < expected.length && at < found.length && expected[at] === found[at]) at += 1;
  const from = Math.max(0, at - Math.floor(quote / 2));
  return {
    line,
    expected: cut(expected, from, quote),
    found: cut(found, from, quote),
    hint: `column ${at + 1}: expected ${charAt(expected, at)}, found ${charAt(found, at)}`,
  };
}

function cut(text: string, from: number, length: number): string {
  const start = text.length <= length ? 0 : from;
  return `${start > 0 ? '…' : ''}${text.slice(start, start + length).replace(/\p{Surrogate}/gu, '\ufffd')}${start + length < text.length ? '…' : ''}`;
}

/** A character so that it can be told from its look-alikes: tab from spaces, no-break space, typographic quotes. */
function charAt(text: string, at: number): string {
  const point = text.codePointAt(at);
  if (point === undefined) return 'the end of the line';
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES[point];
  return name === undefined ? `${JSON.stringify(String.fromCodePoint(point))} (${code})` : `${name} (${code})`;
}

const NAMES: Readonly<Record<number, string>> = {
  9: 'a tab',
  13: 'a carriage return',
  32: 'a space',
  160: 'a no-break space',
  65279: 'a byte order mark',
  8203: 'a zero-width space',
};
