/** Applies the hunks of one file to its text. Pure; a hunk that fits no place, or several, is a value. */
import type { Line } from '../text/index.ts';
import type { Hunk } from './parse.ts';

export type HunkFault =
  | { kind: 'not_found'; hunk: Hunk; wanted: string[] }
  | { kind: 'anchor_not_found'; hunk: Hunk; anchor: string; lines: number[] }
  | { kind: 'ambiguous'; hunk: Hunk; lines: number[] }
  | { kind: 'overlap'; hunk: Hunk; line: number };

export interface Applied {
  lines: Line[];
  additions: number;
  removals: number;
}

interface Placed {
  hunk: Hunk;
  start: number;
  length: number;
}

/** `usual` is the ending that a line gets when its neighbours have none. */
export function applyHunks(
  file: readonly Line[],
  hunks: readonly Hunk[],
  usual: '\n' | '\r\n',
): Applied | { fault: HunkFault } {
  const placed: Placed[] = [];
  for (const hunk of hunks) {
    const place = locate(file, hunk);
    if ('fault' in place) return place;
    placed.push({ hunk, ...place });
  }
  placed.sort((a, b) => a.start - b.start || a.length - b.length);
  for (let index = 1; index < placed.length; index += 1) {
    const [before, after] = [placed[index - 1] as Placed, placed[index] as Placed];
    if (before.start + before.length > after.start)
      return { fault: { kind: 'overlap', hunk: after.hunk, line: after.start + 1 } };
  }
  const lines: Line[] = [];
  let at = 0;
  for (const { hunk, start, length } of placed) {
    lines.push(...file.slice(at, start), ...rewritten(file, hunk, start, usual));
    at = start + length;
  }
  lines.push(...file.slice(at));
  return { lines: terminated(lines, file, placed, usual), ...count(hunks) };
}

function locate(file: readonly Line[], hunk: Hunk): { start: number; length: number } | { fault: HunkFault } {
  const wanted = hunk.lines.filter(({ op }) => op !== '+').map(({ text }) => text);
  let from = 0;
  for (const anchor of hunk.anchors) {
    const found = findAnchor(file, anchor, from);
    if (found.length !== 1)
      return { fault: { kind: 'anchor_not_found', hunk, anchor, lines: found.map((index) => index + 1) } };
    from = (found[0] as number) + 1;
  }
  // Nothing to find: behind the anchor, or at the end of the file.
  if (wanted.length === 0) return { start: hunk.anchors.length > 0 && !hunk.atEnd ? from : file.length, length: 0 };
  const starts = findLines(file, wanted, hunk.anchors.length > 0 ? from - 1 : 0).filter(
    (start) => !hunk.atEnd || start + wanted.length === file.length,
  );
  const [first, ...more] = starts;
  if (first === undefined) return { fault: { kind: 'not_found', hunk, wanted } };
  // Behind an anchor the next place is meant; without one several places are several meanings.
  if (more.length > 0 && hunk.anchors.length === 0)
    return { fault: { kind: 'ambiguous', hunk, lines: starts.map((start) => start + 1) } };
  return { start: first, length: wanted.length };
}

function findLines(file: readonly Line[], wanted: readonly string[], from: number): number[] {
  const starts: number[] = [];
  for (let start = from; start + wanted.length <= file.length; start += 1) {
    if (wanted.every((text, index) => file[start + index]?.text === text)) starts.push(start);
  }
  return starts;
}

/** Lines equal to the anchor, else equal apart from indentation, else ones that hold it. */
function findAnchor(file: readonly Line[], anchor: string, from: number): number[] {
  for (const fits of [(text: string) => text.trim() === anchor, (text: string) => text.includes(anchor)]) {
    const found = file.flatMap((line, index) => (index >= from && fits(line.text) ? [index] : []));
    if (found.length > 0) return found;
  }
  return [];
}

/** The hunk's new lines: kept ones as the file has them, added ones with the ending of the line beside them. */
function rewritten(file: readonly Line[], hunk: Hunk, start: number, usual: '\n' | '\r\n'): Line[] {
  const lines: Line[] = [];
  let index = start;
  for (const { op, text } of hunk.lines) {
    const here = file[index];
    if (op !== '+') index += 1;
    if (op === ' ' && here !== undefined) lines.push(here);
    if (op === '+') lines.push({ text, ending: file[index - 1]?.ending || here?.ending || usual });
  }
  return lines;
}

/**
 * Sees to the end of the file: an unterminated line that is last no more gets an ending, and whether the new last line
 * has one stays as it was, unless the patch says otherwise.
 */
function terminated(lines: Line[], file: readonly Line[], placed: readonly Placed[], usual: '\n' | '\r\n'): Line[] {
  const last = lines.at(-1);
  if (last === undefined) return lines;
  const whole = lines.map((line, index) =>
    index < lines.length - 1 && line.ending === '' ? { ...line, ending: usual } : line,
  );
  const atEnd = placed.find(({ start, length }) => start + length === file.length)?.hunk;
  const was = file.at(-1)?.ending === '';
  const says = atEnd !== undefined && (atEnd.newUnterminated || atEnd.oldUnterminated);
  const unterminated = says ? atEnd.newUnterminated : was && atEnd !== undefined ? true : last.ending === '';
  whole[whole.length - 1] = { text: last.text, ending: unterminated ? '' : last.ending || usual };
  return whole;
}

function count(hunks: readonly Hunk[]): { additions: number; removals: number } {
  const all = hunks.flatMap((hunk) => hunk.lines);
  return { additions: all.filter(({ op }) => op === '+').length, removals: all.filter(({ op }) => op === '-').length };
}
