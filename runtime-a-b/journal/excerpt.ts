/** Small pieces of long texts, cut where no character is torn. Pure. */
import { EXCERPT_CHARS } from './limits.ts';
import { fold } from './words.ts';

/** Bytes that a text takes inside a JSON answer, quotes included. */
export function wireBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** `index` moved back by one when it would tear a surrogate pair. */
export function charBorder(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && index < text.length && code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/**
 * The longest piece from `from` on that takes at most `budget` wire bytes, at least one character. `next` is where the
 * rest begins, null when there is none.
 */
export function takeText(text: string, from: number, budget: number): { piece: string; next: number | null } {
  const rest = text.length - from;
  if (rest <= budget && wireBytes(text.slice(from)) <= budget) return { piece: text.slice(from), next: null };
  let fits = 0;
  let fails = Math.min(rest, budget) + 1; // every UTF-16 unit takes at least one byte
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (wireBytes(text.slice(from, charBorder(text, from + middle))) <= budget) fits = middle;
    else fails = middle;
  }
  let end = charBorder(text, from + fits);
  if (end <= from) end = from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);
  return { piece: text.slice(from, end), next: end < text.length ? end : null };
}

/** The beginning of a text on one line, for lists. */
export function beginning(text: string, chars: number = EXCERPT_CHARS): string {
  const head = text.slice(0, charBorder(text, Math.min(text.length, chars * 2)));
  const line = head.replace(/\s+/gu, ' ').trim();
  const cut = line.slice(0, charBorder(line, Math.min(line.length, chars)));
  return cut.length < line.length || head.length < text.length ? `${cut}…` : cut;
}

/** The surroundings of the first place where one of the words stands; the beginning when none is seen. */
export function excerptAround(text: string, words: readonly string[], chars: number = EXCERPT_CHARS): string {
  const lower = text.toLowerCase();
  // A text whose lower case has another length (a handful of letters) cannot lend its positions.
  const folded = lower.length === text.length ? lower : '';
  const at = words.map((word) => folded.indexOf(fold(word))).find((place) => place >= 0) ?? -1;
  if (at < 0) return beginning(text, chars);
  const start = charBorder(text, Math.max(0, at - Math.floor(chars / 3)));
  const end = charBorder(text, Math.min(text.length, start + chars));
  const line = text.slice(start, end).replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}
