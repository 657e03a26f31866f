/** Text that came from elsewhere, made harmless for a terminal: one line, no control characters, no direction tricks. */
export function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g, ' ').trim();
}

/**
 * A line that a terminal shows and does nothing else with: what would move the cursor, begin a sequence, turn the reading
 * direction, or look like a line of ours is a blank. Tabs and the blanks at its ends stay.
 */
export function harmless(line: string): string {
  return line.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');
}

/** `1 workspace`, `2 workspaces`; what is not made with an s is given. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/**
 * JSON whose control characters and direction tricks are all written as escapes: the same value for a program. JSON itself
 * escapes only those below a blank, and a terminal also takes one of 0x80 to 0x9f for the beginning of a sequence.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** How long ago, or until when, in one unit: `42 s`, `3 min`, `5 h`, `12 d`. */
export function age(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h`;
  return `${Math.floor(s / 86_400)} d`;
}

/** Columns padded to their widest cell; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => [...(row[column] ?? '')].length)));
  return clean.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
}
