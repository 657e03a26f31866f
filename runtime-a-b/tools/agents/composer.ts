/**
 * Whose text stands in an agent's input box. Herdr does not look (herdr#4072): a prompt sent onto a half-typed line is
 * submitted together with it. Judged from the rows of the screen; what cannot be judged is `unknown`, never empty. Pure.
 */

export type Composer =
  | { state: 'empty' }
  /**
   * `row` is the first row of the draft as it stands on the screen. A frame is an input box for certain; a marker without
   * one may also stand before the echo of what was submitted.
   */
  | { state: 'draft'; text: string; row: string; framed: boolean }
  | { state: 'unknown' };

/** A horizontal rule as agents draw it above and below their input. */
const RULE = /^\s*[╭╰┌└├]?[─━═▔▁]{8,}[╮╯┐┘┤]?\s*$/;
/** The marker in front of typed text; `>` only counts inside a frame, because quoted text begins with it too. */
const FRAMED_MARKER = /^\s*(?:[│┃|]\s?)?[❯›>]/;
const BARE_MARKER = /^\s{0,2}[❯›]/;

/** Rows below a box that may be a footer; more of them mean that it is old output, not the box of now. */
const FOOTER_ROWS_MAX = 6;

/** Reads the box from plain rows (`pane.read` with `detection`). */
export function readComposer(screen: string): Composer {
  const rows = screen.split('\n').map((row) => row.trimEnd());
  while (rows.at(-1) === '') rows.pop();
  const [inFrame, alone] = [framed(rows), bare(rows)];
  // Whatever stands lower is the box of now; a marker inside the frame belongs to its text.
  const lowest = inFrame && (alone === undefined || alone.at <= inFrame.end) ? inFrame : alone;
  return lowest?.box ?? { state: 'unknown' };
}

const footerOnly = (below: readonly string[]): boolean =>
  below.filter((row) => row.trim() !== '').length <= FOOTER_ROWS_MAX;

/** The lowest pair of rules with a marker between them and nothing but a short footer below. */
function framed(rows: readonly string[]): { end: number; box: Composer } | undefined {
  const rules = rows.flatMap((row, i) => (RULE.test(row) ? [i] : []));
  for (let i = rules.length - 1; i > 0; i--) {
    const [top, bottom] = [rules[i - 1] ?? 0, rules[i] ?? 0];
    if (!footerOnly(rows.slice(bottom + 1))) return undefined;
    const inside = rows.slice(top + 1, bottom);
    if (inside[0] !== undefined && FRAMED_MARKER.test(inside[0])) return { end: bottom, box: judge(inside, true) };
  }
  return undefined;
}

/** The lowest marker without a frame, with nothing but a short footer below it. */
function bare(rows: readonly string[]): { at: number; box: Composer } | undefined {
  const at = rows.findLastIndex((row) => BARE_MARKER.test(row));
  const below = rows.slice(at + 1);
  if (at === -1 || !footerOnly(below)) return undefined;
  const end = below.findIndex((line) => line.trim() === '');
  return { at, box: judge([rows[at] ?? '', ...below.slice(0, end === -1 ? undefined : end)], false) };
}

function judge(rows: readonly string[], isFramed: boolean): Composer {
  const texts = rows.map(stripFrame);
  const text = texts.join('\n').trim();
  if (text === '') return { state: 'empty' };
  const first = texts.findIndex((line) => line !== '');
  return { state: 'draft', text, row: (rows[first] ?? '').trim(), framed: isFramed };
}

/** A row without its frame and marker; a no-break space is no text. */
function stripFrame(row: string): string {
  return row
    .replace(/^\s*[│┃|]?\s?/, '')
    .replace(/[│┃|]\s*$/, '')
    .replace(/^\s*[❯›>]/, '')
    .replaceAll('\u00a0', ' ')
    .replace(/[█▌▏▎▍]/g, '')
    .trim();
}

/**
 * Whether a draft is only a suggestion, which agents draw dim or grey: `ansi` are the same rows with their colours
 * (`pane.read` with `visible` and `ansi`). Undefined when the row is not found there: then nobody can say.
 */
export function isSuggestion(draft: string, ansi: string): boolean | undefined {
  const [first = ''] = draft.split('\n');
  for (const row of ansi.split('\n').reverse()) {
    const cells = styledCells(row);
    const plain = cells.map((cell) => cell.char).join('');
    const at = plain.indexOf(first);
    if (at === -1) continue;
    // The cell under the cursor may be drawn inverted instead of dim; it alone proves nothing.
    const own = cells.slice(at, at + first.length).filter((cell) => cell.char.trim() !== '');
    const faint = own.filter((cell) => cell.faint).length;
    return faint > 0 && faint >= own.length - 1;
  }
  return undefined;
}

interface Cell {
  char: string;
  faint: boolean;
}

/** The characters of a row with whether each is dim or grey. Other sequences are skipped. */
function styledCells(row: string): Cell[] {
  const cells: Cell[] = [];
  let dim = false;
  let grey = false;
  for (const part of row.split(/(\u001b\[[0-9;:]*[A-Za-z])/)) {
    const sgr = /^\u001b\[([0-9;:]*)m$/.exec(part);
    if (sgr) ({ dim, grey } = applySgr(sgr[1] ?? '', dim, grey));
    else if (!part.startsWith('\u001b')) for (const char of part.split('')) cells.push({ char, faint: dim || grey });
  }
  return cells;
}

function applySgr(codes: string, wasDim: boolean, wasGrey: boolean): { dim: boolean; grey: boolean } {
  let [dim, grey] = [wasDim, wasGrey];
  const numbers = codes.split(/[;:]/).map((code) => Number(code || 0));
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i];
    if (code === 0) [dim, grey] = [false, false];
    else if (code === 2) dim = true;
    else if (code === 22) dim = false;
    else if (code === 90) grey = true;
    else if (code === 38 && numbers[i + 1] === 5) {
      grey = isGreyIndex(numbers[i + 2] ?? 0);
      i += 2;
    } else if (code === 38 && numbers[i + 1] === 2) {
      grey = isGreyRgb(numbers.slice(i + 2, i + 5));
      i += 4;
    } else if (code === 39 || (code !== undefined && ((code >= 30 && code <= 37) || (code >= 91 && code <= 97))))
      grey = false;
  }
  return { dim, grey };
}

/** Bright black, and the darker two thirds of the 256-colour grey ramp. */
const isGreyIndex = (index: number): boolean => index === 8 || (index >= 232 && index <= 248);

/** A colour without a hue and clearly below white. */
function isGreyRgb([red = 255, green = 255, blue = 255]: number[]): boolean {
  return Math.max(red, green, blue) - Math.min(red, green, blue) <= 12 && Math.max(red, green, blue) <= 170;
}
