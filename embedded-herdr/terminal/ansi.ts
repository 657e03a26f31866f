import type { IBufferCell, IBufferLine } from '@xterm/headless';

/** The SGR parameters of one colour. `base` is 30 for text, 40 for what lies behind it. */
function colour(base: 30 | 40, rgb: boolean, palette: boolean, value: number): number[] {
  if (rgb) return [base + 8, 2, (value >> 16) & 255, (value >> 8) & 255, value & 255];
  if (!palette) return [];
  if (value < 8) return [base + value];
  if (value < 16) return [base + 60 + value - 8];
  return [base + 8, 5, value];
}

/** Everything that makes a cell look as it does, as SGR parameters; empty for a plain one. */
function sgrOf(cell: IBufferCell): string {
  const parameters: number[] = [];
  if (cell.isBold()) parameters.push(1);
  if (cell.isDim()) parameters.push(2);
  if (cell.isItalic()) parameters.push(3);
  if (cell.isUnderline()) parameters.push(4);
  if (cell.isBlink()) parameters.push(5);
  if (cell.isInverse()) parameters.push(7);
  if (cell.isInvisible()) parameters.push(8);
  if (cell.isStrikethrough()) parameters.push(9);
  if (cell.isOverline()) parameters.push(53);
  parameters.push(...colour(30, cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()));
  parameters.push(...colour(40, cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()));
  return parameters.join(';');
}

/**
 * One row as text with the SGR sequences that reproduce its cells; it begins and ends in the default look. Trailing
 * cells that show nothing are dropped unless `full`. `scratch` is reused for every cell.
 */
export function ansiRow(line: IBufferLine, scratch: IBufferCell, full: boolean): string {
  let end = line.length;
  while (!full && end > 0) {
    const cell = line.getCell(end - 1, scratch);
    if (cell && (cell.getChars().trim() !== '' || cell.getWidth() === 0 || !cell.isBgDefault() || cell.isInverse())) {
      break;
    }
    end--;
  }
  let text = '';
  let current = '';
  for (let x = 0; x < end; x++) {
    const cell = line.getCell(x, scratch);
    // The second half of a wide character holds nothing of its own.
    if (!cell || cell.getWidth() === 0) continue;
    const look = sgrOf(cell);
    if (look !== current) {
      text += look === '' ? '\x1b[0m' : current === '' ? `\x1b[${look}m` : `\x1b[0;${look}m`;
      current = look;
    }
    text += cell.getChars() || ' ';
  }
  return current === '' ? text : `${text}\x1b[0m`;
}
