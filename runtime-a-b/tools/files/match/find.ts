/**
 * Finds a text in a file and replaces it, and nothing else. Line endings are not part of what a caller must know: a text
 * written with `\n` also matches `\r\n`, and what is put in takes the endings of its place. Pure.
 */

export interface Match {
  /** Offsets in the file's text. */
  from: number;
  to: number;
}

export interface Found {
  matches: Match[];
  /** The text matched only after both sides' line endings were taken as equal. */
  endingsDiffer: boolean;
}

/** Every place, overlapping ones too, at which `wanted` stands; `max` bounds the list. */
export function findText(text: string, wanted: string, max: number): Found {
  const direct = occurrences(text, wanted, max);
  if (direct.length > 0 || !/[\r\n]/.test(wanted))
    return { matches: direct.map((from) => ({ from, to: from + wanted.length })), endingsDiffer: false };
  const plain = withoutReturns(text);
  const pattern = wanted.replaceAll('\r\n', '\n');
  const matches = occurrences(plain.text, pattern, max).map((from) => ({
    from: plain.original(from),
    to: plain.original(from + pattern.length),
  }));
  return { matches, endingsDiffer: matches.length > 0 };
}

function occurrences(text: string, wanted: string, max: number): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < max; at = text.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

/** The text with `\n` for every `\r\n`, and the way back from its offsets. */
function withoutReturns(text: string): { text: string; original(offset: number): number } {
  const removed: number[] = [];
  const plain = text.replace(/\r\n/g, (_, offset: number) => {
    removed.push(offset - removed.length);
    return '\n';
  });
  return {
    text: plain,
    original(offset) {
      // Returns that stood before this offset: those whose place in the plain text is smaller.
      let low = 0;
      let high = removed.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((removed[middle] as number) < offset) low = middle + 1;
        else high = middle;
      }
      return offset + low;
    },
  };
}

/**
 * The replacement with the line endings that belong at its place. Where the match needed its endings taken as equal, each
 * break takes the ending of the one that it stands for, later ones that of the last. Where the match was exact, bare `\n`
 * become `\r\n` only in a file that has no other, and only when the caller writes no `\r` at all.
 */
export function fitEndings(replacement: string, matched: string, text: string, endingsDiffer: boolean): string {
  if (!endingsDiffer) {
    const aware = replacement.includes('\r') || matched.includes('\r');
    return aware || !isOnlyCrlf(text) ? replacement : replacement.replaceAll('\n', '\r\n');
  }
  const endings = matched.match(/\r?\n/g) ?? [];
  let index = 0;
  return replacement.replace(/\r?\n/g, () => {
    const ending = endings[Math.min(index, endings.length - 1)] ?? '\n';
    index += 1;
    return ending;
  });
}

function isOnlyCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
}

/** Line numbers (from 1) of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
