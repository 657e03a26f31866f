/** When two texts are one: line by line; blanks at a line's end, no-break spaces and the ends of the whole do not count. */

export function sameText(a: string, b: string): boolean {
  return normal(a) === normal(b);
}

/** Whether what stands there can only have come from an attempt to put `text` in: whole lines of it, or its beginning. */
export function isPartOf(held: string, text: string): boolean {
  const ours = new Set(normal(text).split('\n'));
  const given = normal(held);
  return normal(text).startsWith(given) || given.split('\n').every((line) => line === '' || ours.has(line));
}

function normal(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
