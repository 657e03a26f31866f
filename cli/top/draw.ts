/** One screen of `herdr-mcp top`: what it shows, and which panes stand on it. Pure. */
import { type Counts, elapsed, type PaneRow, type View } from '../../contract/control/index.ts';
import type { AgentStatus } from '../../contract/herdr/index.ts';
import { START } from '../start-it.ts';
import { counted, oneLine, type Size } from '../terminal/index.ts';

export interface Drawn {
  /** The whole screen, as bytes for the terminal. */
  frame: string;
  /** Panes that stand on it. */
  panes: string[];
  /** How far it can be scrolled. */
  last: number;
}

export interface Shown {
  /** Undefined: nothing was ever heard. */
  view: View | undefined;
  /** Whether anybody confirms it now. */
  live: boolean;
  now: number;
  scroll: number;
  colours: boolean;
}

const RESET = '\u001b[0m';
const COLOURS: Readonly<Record<AgentStatus, string>> = {
  working: '\u001b[36m',
  blocked: '\u001b[1;33m',
  done: '\u001b[32m',
  idle: '\u001b[32m',
  unknown: '\u001b[2m',
};
/** What a status is called; the Side Panel says the same in three languages. */
const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  working: 'working',
  blocked: 'waits for you',
  done: 'done',
  idle: 'idle',
  unknown: 'unknown',
};

export function draw({ view, live, now, scroll, colours }: Shown, { columns, rows }: Size): Drawn {
  const paint = (code: string, text: string) => (colours ? `${code}${text}${RESET}` : text);
  const lines = view === undefined ? [] : view.workspaces.flatMap((one) => linesOf(one, now, paint));
  const room = Math.max(0, rows - 3);
  const last = Math.max(0, lines.length - room);
  const from = Math.min(Math.max(0, scroll), last);
  const shown = lines.slice(from, from + room);
  const head = headOf(view, live);
  const more = last === 0 ? '' : `  ${from + shown.length} of ${lines.length} rows`;
  const all = [
    paint(live ? '\u001b[1m' : '\u001b[1;31m', head),
    '',
    ...shown.map(({ text }) => text),
    ...Array.from({ length: room - shown.length }, () => ''),
    paint('\u001b[7m', ` ↑ ↓ PgUp PgDn move   q leaves${more}`.padEnd(columns)),
  ];
  const frame = all.slice(0, rows).map((line, row) => `\u001b[${row + 1};1H${RESET}${line}${RESET}\u001b[K`);
  return { frame: frame.join(''), panes: shown.flatMap(({ pane }) => pane ?? []), last };
}

function headOf(view: View | undefined, live: boolean): string {
  if (view === undefined) {
    return live ? 'Asking the runtime …' : `The runtime does not answer; it is tried again. Start it: ${START}`;
  }
  const said = countsSentence(view.counts, view.workspaces.length);
  if (!live) return `The runtime does not answer; this is what was last seen. ${said}`;
  return view.herdr.state === 'live' ? said : `Herdr does not answer; this is what was last seen. ${said}`;
}

/** `1 working, 0 waiting for you, 3 panes in 2 workspaces`. */
export function countsSentence(counts: Counts, workspaces: number): string {
  const panes = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return `${counts.working} working, ${counts.blocked} waiting for you, ${counted(panes, 'pane')} in ${counted(workspaces, 'workspace')}`;
}

type Paint = (code: string, text: string) => string;

function linesOf(workspace: View['workspaces'][number], now: number, paint: Paint): { text: string; pane?: string }[] {
  const { id, label, rows } = workspace;
  const name = oneLine(label === id ? id : `${label} (${id})`);
  return [
    { text: paint('\u001b[1m', name) },
    ...rows.map((row) => ({ text: `  ${rowText(row, now, paint)}`, pane: row.id })),
  ];
}

/** Columns that hold what most panes need; what is longer pushes its own row. */
const WIDTHS = { id: 8, agent: 16, status: 13, elapsed: 8 } as const;

/** One pane: id, agent, status, how long, and its last line. */
export function rowText(row: PaneRow, now: number, paint: Paint = (_, text) => text): string {
  const status = row.status === null ? '-' : STATUS_WORDS[row.status];
  const time = row.since === null ? '' : elapsed(now - row.since);
  const cells = [
    oneLine(row.id).padEnd(WIDTHS.id),
    oneLine(row.agent ?? 'terminal').padEnd(WIDTHS.agent),
    paint(row.status === null ? '\u001b[2m' : COLOURS[row.status], status.padEnd(WIDTHS.status)),
    time.padStart(WIDTHS.elapsed),
    oneLine(row.line ?? ''),
  ];
  return cells.join('  ').trimEnd();
}
