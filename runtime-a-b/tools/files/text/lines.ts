/** Lines and their endings. Pure. */

export type LineEnding = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

export interface EndingCounts {
  lf: number;
  crlf: number;
  cr: number;
}

/** Which ending a text uses; `none` when it has no line break. */
export function lineEnding(counts: EndingCounts): LineEnding {
  const { lf, crlf, cr } = counts;
  if (lf > 0 && crlf === 0) return 'lf';
  if (crlf > 0 && lf === 0) return 'crlf';
  if (lf > 0 && crlf > 0) return 'mixed';
  return cr > 0 ? 'cr' : 'none';
}

/** Counts `\n`, `\r\n` and lone `\r` in a text. */
export function countEndings(text: string): EndingCounts {
  const counts = { lf: 0, crlf: 0, cr: 0 };
  for (let at = text.search(/[\r\n]/); at >= 0 && at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) counts.lf += 1;
    else if (code === 13 && text.charCodeAt(at + 1) === 10) {
      counts.crlf += 1;
      at += 1;
    } else if (code === 13) counts.cr += 1;
  }
  return counts;
}

/** A line as a file holds it: its text and its own ending (empty for an unterminated last one). */
export interface Line {
  text: string;
  ending: string;
}

/** Splits at `\n` and `\r\n`; a lone `\r` is part of its line. Joined again, the lines are the text. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    if (end < 0) {
      lines.push({ text: text.slice(at), ending: '' });
      break;
    }
    const crlf = end > at && text.charCodeAt(end - 1) === 13;
    lines.push({ text: text.slice(at, crlf ? end - 1 : end), ending: crlf ? '\r\n' : '\n' });
    at = end + 1;
  }
  return lines;
}

/** The ending that most lines have; `\n` when there is none. */
export function usualEnding(counts: EndingCounts): '\n' | '\r\n' {
  return counts.crlf > counts.lf ? '\r\n' : '\n';
}
