/** The patch format as sections. Pure; every fault names the line of the patch at which it stands. */

import { PATH_CHARS_MAX } from '../limits.ts';

export type HunkLine = { op: ' ' | '-' | '+'; text: string };

export interface Hunk {
  /** Line of the patch, from 1. */
  at: number;
  /** Lines behind `@@` that the place comes after, outermost first. */
  anchors: string[];
  lines: HunkLine[];
  /** `*** End of File`: the place is at the end of the file. */
  atEnd: boolean;
  /** What `\ No newline at end of file` says about the old and the new last line. */
  oldUnterminated: boolean;
  newUnterminated: boolean;
}

export type Section =
  | { kind: 'add'; at: number; path: string; lines: string[]; unterminated: boolean }
  | { kind: 'delete'; at: number; path: string }
  | { kind: 'update'; at: number; path: string; moveTo?: string; hunks: Hunk[] };

export class PatchFault extends Error {
  /** Line of the patch, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = 'PatchFault';
    this.line = line;
  }
}

const NO_NEWLINE = '\\ No newline at end of file';

/** Throws {@link PatchFault}. Text around the markers (a code fence, blank lines) is ignored. */
export function parsePatch(text: string): Section[] {
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  if (begin < 0) throw new PatchFault(1, 'the patch has no line "*** Begin Patch"');
  const end = lines.findLastIndex((line) => line.trim() === '*** End Patch');
  if (end < begin) throw new PatchFault(lines.length, 'the patch has no line "*** End Patch"');
  const reader = { lines, at: begin + 1, end };
  const sections: Section[] = [];
  while (reader.at < end) {
    if ((lines[reader.at] ?? '').trim() === '') reader.at += 1;
    else sections.push(readSection(reader));
  }
  if (sections.length === 0) throw new PatchFault(begin + 1, 'the patch has no section');
  return sections;
}

interface Reader {
  lines: readonly string[];
  at: number;
  end: number;
}

const peek = (reader: Reader): string | undefined => (reader.at < reader.end ? reader.lines[reader.at] : undefined);

function readSection(reader: Reader): Section {
  const at = reader.at + 1;
  const line = peek(reader) ?? '';
  const match = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(line.trimEnd());
  if (match === null)
    throw new PatchFault(
      at,
      `expected "*** Add File: …", "*** Delete File: …" or "*** Update File: …", found ${JSON.stringify(line.slice(0, 80))}`,
    );
  const path = readPath(match[2] ?? '', at);
  reader.at += 1;
  if (match[1] === 'Delete') return { kind: 'delete', at, path };
  if (match[1] === 'Add') return readAdd(reader, at, path);
  return readUpdate(reader, at, path);
}

/** No system takes a longer one, and every refusal names the path. */
function readPath(text: string, at: number): string {
  const path = text.trim();
  if (path.length > PATH_CHARS_MAX)
    throw new PatchFault(at, `the path has ${path.length} characters; at most ${PATH_CHARS_MAX} are a path`);
  return path;
}

function readAdd(reader: Reader, at: number, path: string): Section {
  const lines: string[] = [];
  let unterminated = false;
  for (let line = peek(reader); line !== undefined && !line.startsWith('*** '); line = peek(reader)) {
    if (line === NO_NEWLINE) unterminated = true;
    else if (line.startsWith('+')) lines.push(line.slice(1));
    else if (line.trim() === '' && onlyBlanksFollow(reader)) {
      reader.at += 1;
      continue;
    } else
      throw new PatchFault(
        reader.at + 1,
        `every line of an added file begins with "+", found ${JSON.stringify(line.slice(0, 80))}`,
      );
    reader.at += 1;
  }
  return { kind: 'add', at, path, lines, unterminated };
}

/** Blank lines between sections belong to nobody. */
function onlyBlanksFollow(reader: Reader): boolean {
  for (let at = reader.at; at < reader.end; at += 1) {
    const line = reader.lines[at] ?? '';
    if (line.startsWith('*** ')) return isSectionStart(line);
    if (line.trim() !== '') return false;
  }
  return true;
}

function readUpdate(reader: Reader, at: number, path: string): Section {
  const named = /^\*\*\* Move to: (.+)$/.exec(peek(reader)?.trimEnd() ?? '')?.[1];
  const move = named === undefined ? undefined : readPath(named, reader.at + 1);
  if (move !== undefined) reader.at += 1;
  const hunks: Hunk[] = [];
  for (let line = peek(reader); line !== undefined && !isSectionStart(line); line = peek(reader)) {
    if (line.trim() === '' && onlyBlanksFollow(reader)) reader.at += 1;
    else hunks.push(readHunk(reader));
  }
  if (hunks.length === 0 && move === undefined) throw new PatchFault(at, `the update of ${path} has no hunk`);
  return { kind: 'update', at, path, hunks, ...(move === undefined ? {} : { moveTo: move }) };
}

const isSectionStart = (line: string) => line.startsWith('*** ') && line.trim() !== '*** End of File';

function readHunk(reader: Reader): Hunk {
  const hunk: Hunk = {
    at: reader.at + 1,
    anchors: [],
    lines: [],
    atEnd: false,
    oldUnterminated: false,
    newUnterminated: false,
  };
  for (let line = peek(reader); line?.startsWith('@@') === true; line = peek(reader)) {
    const anchor = line.replace(/^@@( -\d+(,\d+)? \+\d+(,\d+)? @@)?/, '').trim();
    if (anchor !== '') hunk.anchors.push(anchor);
    reader.at += 1;
  }
  for (
    let line = peek(reader);
    line !== undefined && !line.startsWith('@@') && !isSectionStart(line);
    line = peek(reader)
  ) {
    if (line.trim() === '' && onlyBlanksFollow(reader)) break;
    reader.at += 1;
    if (line.trim() === '*** End of File') {
      hunk.atEnd = true;
      break;
    }
    readHunkLine(hunk, line, reader.at);
  }
  if (!hunk.lines.some(({ op }) => op !== ' ')) throw new PatchFault(hunk.at, 'a hunk neither adds nor removes a line');
  return hunk;
}

function readHunkLine(hunk: Hunk, line: string, at: number): void {
  const op = line[0];
  if (line === NO_NEWLINE) {
    const last = hunk.lines.at(-1)?.op;
    if (last !== '+') hunk.oldUnterminated = true;
    if (last !== '-') hunk.newUnterminated = true;
  } else if (op === ' ' || op === '-' || op === '+') hunk.lines.push({ op, text: line.slice(1) });
  else if (line === '') hunk.lines.push({ op: ' ', text: '' });
  else
    throw new PatchFault(
      at,
      `a line of a hunk begins with a space, "-" or "+", found ${JSON.stringify(line.slice(0, 80))}`,
    );
}
