/**
 * How text becomes the words of the full-text index. Pure, and the same for what is indexed and for what is asked.
 *
 * SQLite's own tokenizers do not fit a journal in Japanese, English and emoji: `unicode61` makes one word of a whole
 * Japanese sentence and drops emoji, `trigram` finds nothing shorter than three characters, and most Japanese words have
 * two. So the words are made here and handed to FTS5 as text with spaces between them (tokenizer `ascii`, which keeps every
 * character above 127 as it is):
 *
 * - letters and digits of scripts that put spaces between words: whole words;
 * - scripts without spaces (Han, kana, Hangul, Thai …): every pair of neighbours, so that two characters are found
 *   anywhere inside a sentence, framed by the first and the last character of the run, so that `3章` and `第3` are found;
 *   single characters are found through a column of their own;
 * - emoji: each alone; skin tones, joiners and variation selectors do not count.
 *
 * Everything is folded by NFKC and lower case: full-width, half-width and ligatures are one. Marks stay: が is not か.
 */
import { PREFIX_CHARS_MIN, WORD_CHARS_MAX } from './limits.ts';

const SCRIPTS = ['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt'];
const SPACELESS = `[${SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]`;

const PIECE = new RegExp(
  [
    `(?<run>(?:(?=[\\p{L}\\p{N}\\p{M}])${SPACELESS})+)`,
    `(?<word>(?:(?!${SPACELESS})[\\p{L}\\p{N}])(?:(?!${SPACELESS})[\\p{L}\\p{N}\\p{M}])*)`,
    '(?<sign>\\p{RI}\\p{RI}|\\p{Extended_Pictographic})',
  ].join('|'),
  'gu',
);

/** A stretch of text: characters of a script without spaces, or one word or sign. */
export type Piece = { run: string[] } | { word: string };

/** NFKC and lower case. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The pieces of a text, in order; everything between them is no word. */
function* pieces(text: string): Generator<Piece> {
  for (const match of text.matchAll(PIECE)) {
    const { run, word, sign } = match.groups ?? {};
    if (run !== undefined) {
      const chars = [...fold(run)].filter((char) => char.trim() !== '');
      if (chars.length > 0) yield { run: chars };
    } else if (word !== undefined) {
      yield { word: [...fold(word)].slice(0, WORD_CHARS_MAX).join('') };
    } else if (sign !== undefined) {
      yield { word: sign };
    }
  }
}

/**
 * The two indexed columns of a text: its words in order, and the distinct characters of scripts without spaces. Every word
 * carries its chain, so that a search in one chain never walks through the words of the others.
 */
export function indexWords(text: string, chainNo: number): { words: string; chars: string } {
  const words: string[] = [];
  const chars = new Set<string>();
  for (const piece of pieces(text)) {
    if ('word' in piece) {
      words.push(piece.word);
      continue;
    }
    for (const char of piece.run) chars.add(char);
    words.push(...runWords(piece.run, true, true));
  }
  const own = chainMark(chainNo);
  return {
    words: words.map((word) => own + word).join(' '),
    chars: [...chars].map((char) => own + char).join(' '),
  };
}

/** Pairs of neighbours, with the first and last character alone where the run is known to begin or end there. */
function runWords(run: readonly string[], begins: boolean, ends: boolean): string[] {
  const words: string[] = begins ? [run[0] ?? ''] : [];
  for (let i = 1; i < run.length; i++) words.push(`${run[i - 1]}${run[i]}`);
  if (ends) words.push(run[run.length - 1] ?? '');
  return words;
}

/** One condition of a search: words that stand together, or one character anywhere. All conditions must hold. */
export type Condition = { words: string[]; prefix: boolean } | { char: string };

/**
 * What a query asks for: everything between two spaces is found as it stands, in any order to each other; a word of four
 * or more characters may end in `*`. Empty when the query holds no word, character or emoji at all.
 */
export function readQuery(query: string): Condition[] {
  return query
    .split(/\s+/u)
    .map(readChunk)
    .filter((condition) => condition !== null);
}

function readChunk(chunk: string): Condition | null {
  const found = [...pieces(chunk)];
  const [only] = found;
  if (only === undefined) return null;
  if (found.length === 1 && 'run' in only && only.run.length === 1) return { char: only.run[0] ?? '' };
  const words = found.flatMap((piece, i) =>
    'word' in piece ? [piece.word] : runWords(piece.run, i > 0, i < found.length - 1),
  );
  const last = found[found.length - 1];
  const wordEnd = last !== undefined && 'word' in last && last.word.length >= PREFIX_CHARS_MIN;
  return { words, prefix: chunk.endsWith('*') && wordEnd };
}

/** The conditions as an FTS5 expression for one chain. Words hold no quote. */
export function matchExpression(conditions: readonly Condition[], chainNo: number): string {
  const own = chainMark(chainNo);
  return conditions
    .map((condition) =>
      'char' in condition
        ? `chars : ${quote(own + condition.char)}`
        : `words : ${quote(condition.words.map((word) => own + word).join(' '))}${condition.prefix ? ' *' : ''}`,
    )
    .join(' AND ');
}

/** Stands in front of every word of a chain. The bar is no ASCII, so the tokenizer keeps it, and no text has it there. */
function chainMark(chainNo: number): string {
  return `c${chainNo}¦`;
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
