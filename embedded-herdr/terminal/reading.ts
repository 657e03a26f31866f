import type { IBuffer, IBufferLine } from '@xterm/headless';
import type { PaneScrollInfo, ReadFormat, ReadSource } from '../../contract/herdr/index.ts';
import { DEFAULT_RECENT_LINES, MAX_READ_LINES } from '../limits.ts';
import { ansiRow } from './ansi.ts';

/** What a read needs of a screen. */
export interface Screen {
  buffer: IBuffer;
  rows: number;
  columns: number;
}

export interface Reading {
  text: string;
  truncated: boolean;
}

const plainRow = (line: IBufferLine): string => line.translateToString(true).trimEnd();

function renderRows(screen: Screen, from: number, to: number, format: ReadFormat, unwrap: boolean): string[] {
  const rows: string[] = [];
  for (let y = from; y < to; y++) {
    const line = screen.buffer.getLine(y);
    if (!line) continue;
    const joined = unwrap && line.isWrapped && rows.length > 0;
    // A row that is followed by its own continuation keeps its trailing spaces: they are inside the line.
    const continued = unwrap && screen.buffer.getLine(y + 1)?.isWrapped === true && y + 1 < to;
    const text =
      format === 'ansi'
        ? ansiRow(line, screen.buffer.getNullCell(), continued)
        : continued
          ? line.translateToString(false)
          : plainRow(line);
    if (joined) rows.push(`${rows.pop() ?? ''}${text}`);
    else rows.push(text);
  }
  return rows;
}

function joinRows(rows: string[]): string {
  while (rows.length > 0 && rows.at(-1) === '') rows.pop();
  return rows.length === 0 ? '' : `${rows.join('\n')}\n`;
}

/**
 * A read as Herdr makes it: rendered rows, not the byte stream. For the recent sources `lines` counts rows of the grid,
 * blank ones at the bottom included; for the others it cuts the text that is there. `detection` is always plain. Text
 * ends with one newline unless it is empty. Source: reference/herdr-protocol.md 5.1 and 5.2.
 */
export function readScreen(screen: Screen, source: ReadSource, lines: number | undefined, format: ReadFormat): Reading {
  const { buffer, rows } = screen;
  const bottom = buffer.baseY + rows;
  const asked = lines === undefined ? undefined : Math.min(lines, MAX_READ_LINES);
  if (source === 'recent' || source === 'recent_unwrapped') {
    const count = asked ?? DEFAULT_RECENT_LINES;
    const text = joinRows(
      renderRows(screen, Math.max(0, bottom - count), bottom, format, source === 'recent_unwrapped'),
    );
    return { text, truncated: bottom > count };
  }
  const top = source === 'visible' ? buffer.viewportY : buffer.baseY;
  const all = renderRows(screen, top, top + rows, source === 'detection' ? 'text' : format, false);
  while (all.length > 0 && all.at(-1) === '') all.pop();
  const kept = asked === undefined || asked >= all.length ? all : all.slice(all.length - asked);
  return { text: joinRows([...kept]), truncated: kept.length < all.length };
}

export function scrollOf(screen: Screen): PaneScrollInfo {
  const { buffer } = screen;
  return {
    offset_from_bottom: buffer.baseY - buffer.viewportY,
    max_offset_from_bottom: buffer.baseY,
    viewport_rows: screen.rows,
  };
}
