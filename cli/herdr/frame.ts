/** One picture of a pane in a terminal of any size. Pure. */
import type { Size } from '../terminal/index.ts';

/** Escape sequences that are no colours, and control characters: a pane's text must not move the person's own cursor. */
const FOREIGN =
  /\u001b\[(?![0-9;:]*m)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b(?!\[[0-9;:]*m)[ -~]?|[\u0000-\u0009\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

export function clean(ansi: string): string {
  return ansi.replace(FOREIGN, '');
}

/** The bytes that show `ansi`: its last rows when it is taller than the terminal, and the status in the last row. */
export function frame(ansi: string, status: string, { columns, rows }: Size): string {
  const lines = clean(ansi).replace(/\n$/, '').split('\n');
  const room = Math.max(0, rows - 1);
  const shown = room === 0 ? [] : lines.slice(-room);
  const body = shown.map((line, row) => `\u001b[${row + 1};1H\u001b[0m${line}\u001b[0m\u001b[K`).join('');
  const rest = shown.length < room ? `\u001b[${shown.length + 1};1H\u001b[0J` : '';
  const bar = [...clean(status).replaceAll('\n', ' ')].slice(0, columns).join('').padEnd(columns);
  return `${body}${rest}\u001b[${rows};1H\u001b[7m${bar}\u001b[0m`;
}
