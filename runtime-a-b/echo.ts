/** What a caller said, repeated in an answer: as much as names it, never the whole of something long. Pure. */

/** Enough to recognise a command or a name by; the caller has the rest. In characters. */
export const ECHO_CHARS = 200;

/** Names listed of a list that a caller can make as long as it likes: the first ones explain the rest. */
export const ECHO_NAMES = 20;

/** The text, or its beginning with how long it is. A pair of surrogates is not cut. */
export function echo(text: string, max: number = ECHO_CHARS): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return `${head}… (${text.length} characters in all)`;
}

/** The first items, each through {@link echo}, and how many there are when that is not all. */
export function echoList(items: readonly (string | number)[], max: number = ECHO_NAMES): string[] {
  const shown = items.slice(0, max).map((item) => echo(String(item)));
  return items.length > max ? [...shown, `… (${items.length} in all)`] : shown;
}
