/** When two texts are one: line by line; blanks at a line's end, no-break spaces and the ends of the whole do not count. */

export function sameText(a: string, b: string): boolean {
  return normal(a) === normal(b);
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
