/** Whether an empty answer would be the truth. Pure. */

export interface SearchFacts {
  /** ripgrep's exit code: 0 found, 1 nothing found, 2 trouble with the pattern or with files; null when ended. */
  code: number | null;
  stderr: string;
  /** Matches that may be shown. */
  shown: number;
  larger: readonly { file: string; bytes: number }[];
  maxBytes: number;
  /** The output was longer than we keep. */
  cut: boolean;
}

export type SearchVerdict = 'complete' | { badPattern: string } | { incomplete: string };

export function judgeSearch(facts: SearchFacts): SearchVerdict {
  const { code, stderr, shown, larger, maxBytes, cut } = facts;
  if (
    /^(rg: )?(regex parse error|error: (unrecognized|invalid)|the literal .* is not allowed|compiled regex)/im.test(
      stderr,
    )
  ) {
    return { badPattern: firstLines(stderr) };
  }
  if (shown > 0) return 'complete';
  if (larger.length > 0) {
    const names = larger.map(({ file, bytes }) => `${file} (${bytes} bytes)`).join(', ');
    return { incomplete: `matches are only in files above max_bytes ${maxBytes}: ${names}` };
  }
  if (cut) return { incomplete: 'the search printed too much before it reached a file that may be shown' };
  if (code === 0 || code === 1) return 'complete';
  return { incomplete: `some files could not be searched: ${firstLines(stderr) || `ripgrep ended with ${code}`}` };
}

export function firstLines(text: string): string {
  return text.trim().split('\n').slice(0, 5).join('; ').slice(0, 500);
}
