/** Reads ripgrep's JSON lines. Pure. */
import { GREP_LINE_CHARS } from './limits.ts';

export interface Hit {
  /** Relative to the directory that was searched. */
  file: string;
  /** From 1. */
  line: number;
  /** The line without its ending; a very long one is cut around the match and marked with `…`. */
  content: string;
}

type Text = { text: string } | { bytes: string };

interface MatchRecord {
  type: 'match';
  data: { path: Text; lines: Text; line_number: number | null; submatches: { start: number }[] };
}

/** The matches in order of printing. `cut` says that the output ended before the search did. */
export function parseHits(output: Buffer, cut: boolean): { hits: Hit[]; cut: boolean } {
  const hits: Hit[] = [];
  for (const line of output.toString('utf8').split('\n')) {
    const record = parse(line);
    if (record === undefined) continue;
    const { path, lines, line_number, submatches } = record.data;
    hits.push({
      file: toText(path).replace(/^\.\//, ''),
      line: line_number ?? 0,
      content: around(toText(lines).replace(/\r?\n$/, ''), submatches[0]?.start ?? 0),
    });
  }
  return { hits, cut };
}

/** A line that is no match, or the broken last one of a search that was ended, is passed over. */
function parse(line: string): MatchRecord | undefined {
  if (!line.startsWith('{"type":"match"')) return undefined;
  try {
    return JSON.parse(line) as MatchRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const toText = (value: Text): string =>
  'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');

/** `start` counts bytes; for a line that is cut anyway the difference does not matter. */
function around(line: string, start: number): string {
  if (line.length <= GREP_LINE_CHARS) return line;
  const from = Math.max(0, Math.min(start, line.length) - GREP_LINE_CHARS / 4);
  const part = line.slice(from, from + GREP_LINE_CHARS).replace(/\p{Surrogate}/gu, '\ufffd');
  return `${from > 0 ? '…' : ''}${part}${from + GREP_LINE_CHARS < line.length ? '…' : ''}`;
}
