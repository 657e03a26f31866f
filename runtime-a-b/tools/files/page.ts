/** Which lines of a text fit an answer. Pure. */

export interface Page {
  /** The lines with their endings. */
  content: string;
  /** Number of the last line given; one less than the first when none is. */
  end: number;
  truncatedBy: 'bytes' | 'lines' | null;
  /** Set when the first line alone is longer than the budget and only its beginning is given. */
  cutLine?: { line: number; bytes: number };
}

/**
 * Takes whole lines from `lines` (which begin with line `start`) up to `wanted` lines and `budget` bytes of UTF-8.
 * `more` says whether the file goes on after `lines`.
 */
export function takeLines(
  lines: readonly string[],
  start: number,
  wanted: number,
  budget: number,
  more: boolean,
): Page {
  let content = '';
  let bytes = 0;
  let taken = 0;
  for (const line of lines) {
    if (taken === wanted) break;
    const size = Buffer.byteLength(line);
    if (bytes + size > budget) {
      if (taken > 0) return { content, end: start + taken - 1, truncatedBy: 'bytes' };
      return { content: headOf(line, budget), end: start, truncatedBy: 'bytes', cutLine: { line: start, bytes: size } };
    }
    content += line;
    bytes += size;
    taken += 1;
  }
  const rest = more || taken < lines.length;
  return { content, end: start + taken - 1, truncatedBy: rest ? 'lines' : null };
}

/** At most `budget` bytes of UTF-8 from the beginning, without cutting a character. */
function headOf(text: string, budget: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= budget) return text;
  let end = budget;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}

/** Cuts text after each `\n`, at most `limit` pieces; the last piece may lack one. */
export function pieces(text: string, limit: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length && found.length < limit; ) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end + 1;
    found.push(text.slice(at, stop));
    at = stop;
  }
  return found;
}
