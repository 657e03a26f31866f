/**
 * A recording of the demo as one animated SVG: what a real run said, when it said it, scrolling through a terminal. No
 * script is in it, so it plays wherever a picture is shown; who asks for less motion sees its end. Pure.
 */

export interface Said {
  atMs: number;
  text: string;
}

const COLUMNS = 104;
const ROWS = 26;
/** Rows that one line may take; its end is cut off. */
const ROWS_PER_LINE = 2;
const ROW_PX = 18;
const COLUMN_PX = 7.8;
const EDGE_PX = 16;
const BAR_PX = 34;
/** What letters of the lowest row need below their line; the next row must not be seen. */
const BELOW_PX = 5;
/** Each line stays the newest for as long as it did, within these bounds, in ms. */
const SHOWN_MS = { min: 350, max: 1_600 } as const;
/** How long the end stays before it begins anew, in ms. */
const END_MS = 5_000;
/** Dark ground and what stands on it: each pair differs by AA. */
const INK = {
  ground: '#14181f',
  bar: '#232a35',
  text: '#c9d1dc',
  call: '#7cc4ff',
  answer: '#9aa7b8',
  command: '#8fd694',
};

/** `→ herdr_call {"method":"x"…` → `herdr_call x`; undefined for a line that is no call. */
function stepOf(text: string): string | undefined {
  const [, name, method] = /^→ (\S+)(?:.*?[{,]"method":"([^"]+)")?/.exec(text) ?? []; // inside params marks stand behind a backslash
  return name === undefined ? undefined : [name, ...(method === undefined ? [] : [method])].join(' ');
}

/** The SVG. `said` needs a line. */
export function recordingOf(said: readonly Said[]): string {
  const lines = said.map(({ text }) => rowsOf(text));
  let row = 0;
  const texts = lines.flatMap((rows, at) => {
    const ink = inkOf(said[at]?.text ?? '');
    return rows.map((text, i) => {
      row += 1;
      return `<text x="${EDGE_PX + i * 2 * COLUMN_PX}" y="${row * ROW_PX}" class="${ink}">${escaped(text)}</text>`;
    });
  });
  const height = ROWS * ROW_PX + EDGE_PX;
  const width = Math.round(COLUMNS * COLUMN_PX + 2 * EDGE_PX);
  const steps = said.flatMap(({ text }) => stepOf(text) ?? []);
  const { frames, totalMs } = scrolling(said, lines);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + BAR_PX}" viewBox="0 0 ${width} ${height + BAR_PX}" role="img" aria-label="npm run demo">`,
    `<metadata>${escaped(JSON.stringify({ steps }))}</metadata>`,
    '<style>',
    `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:${INK.text}}`,
    `.call{fill:${INK.call}}.answer{fill:${INK.answer}}.command{fill:${INK.command}}`,
    `#all{transform:translateY(${(ROWS - row) * ROW_PX}px);animation:play ${totalMs}ms step-end infinite}`,
    `@keyframes play{${frames}}`,
    '@media (prefers-reduced-motion:reduce){#all{animation:none}}',
    '</style>',
    `<rect width="${width}" height="${height + BAR_PX}" rx="8" fill="${INK.ground}"/>`,
    `<path d="M0 ${BAR_PX}V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${BAR_PX - 8}z" fill="${INK.bar}"/>`,
    `<text x="${EDGE_PX}" y="22">$ npm run demo</text>`,
    `<svg y="${BAR_PX}" width="${width}" height="${ROWS * ROW_PX + BELOW_PX}"><g id="all">`,
    ...texts,
    '</g></svg>',
    '</svg>',
    '',
  ].join('\n');
}

/** Which calls a recording shows, in order. */
export function recordedSteps(svg: string): string[] {
  const [, text = '{}'] = /<metadata>(.*)<\/metadata>/.exec(svg) ?? [];
  const { steps = [] } = JSON.parse(
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  ) as {
    steps?: string[];
  };
  return steps;
}

/** One key frame a line: so far up that the line is the lowest one. */
function scrolling(said: readonly Said[], lines: readonly string[][]): { frames: string; totalMs: number } {
  const begins: number[] = [];
  let atMs = 0;
  said.forEach((line, i) => {
    begins.push(atMs);
    const shownMs = (said[i + 1]?.atMs ?? line.atMs) - line.atMs;
    atMs += Math.round(Math.min(SHOWN_MS.max, Math.max(SHOWN_MS.min, shownMs)));
  });
  const totalMs = atMs + END_MS;
  let rows = 0;
  const frames = lines.map((own, i) => {
    rows += own.length;
    const percent = (((begins[i] ?? 0) / totalMs) * 100).toFixed(3);
    return `${percent}%{transform:translateY(${(ROWS - rows) * ROW_PX}px)}`;
  });
  return { frames: frames.join(''), totalMs };
}

function rowsOf(text: string): string[] {
  const rows: string[] = [];
  for (let rest = text; rest !== '' && rows.length < ROWS_PER_LINE; ) {
    const room = COLUMNS - (rows.length === 0 ? 0 : 2);
    rows.push(rest.slice(0, room));
    rest = rest.slice(room);
    const last = rows.length - 1;
    if (rest !== '' && rows.length === ROWS_PER_LINE) rows[last] = `${rows[last]?.slice(0, -1)}…`;
  }
  return rows.length === 0 ? [''] : rows;
}

function inkOf(text: string): string {
  if (text.startsWith('→')) return 'call';
  if (text.startsWith('←') || text.startsWith('  ')) return 'answer';
  return text.startsWith('$') ? 'command' : 'said';
}

/** XML knows neither control characters nor half a pair, whatever way they are written. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd');
