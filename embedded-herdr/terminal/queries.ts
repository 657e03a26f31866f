import type { Terminal } from '@xterm/headless';
import { KEYBOARD_STACK, VERSION } from '../limits.ts';

/** xterm's first sixteen colours, as a program is told that asks for them. */
const PALETTE = [
  ...['000000', 'cd0000', '00cd00', 'cdcd00', '0000ee', 'cd00cd', '00cdcd', 'e5e5e5'],
  ...['7f7f7f', 'ff0000', '00ff00', 'ffff00', '5c5cff', 'ff00ff', '00ffff', 'ffffff'],
];
const FOREGROUND = 'd4d4d4';
const BACKGROUND = '1e1e1e';

/** `rgb:rrrr/gggg/bbbb`, the form in which terminals tell a colour. */
const told = (hex: string): string => `rgb:${[0, 2, 4].map((i) => hex.slice(i, i + 2).repeat(2)).join('/')}`;

export interface ProgramState {
  /** Flags of the kitty keyboard protocol that are in force. */
  kittyFlags(): number;
  /** Directory that the shell reported by OSC 7 or OSC 9;9. */
  reportedCwd(): string | undefined;
  /** Progress state of OSC 9;4: 1 and 3 mean that something runs. */
  progress(): number;
}

/** The directory of an OSC 7 `file://host/path` or an OSC 9;9 path; undefined when it is neither. */
export function reportedDirectory(report: string): string | undefined {
  if (report.startsWith('/')) return report;
  if (!report.startsWith('file://')) return undefined;
  const path = report.slice('file://'.length).replace(/^[^/]*/, '');
  try {
    return path === '' ? undefined : decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Answers what the emulator itself does not: XTVERSION, the kitty keyboard query and its stack of flags, colours, the
 * size in characters; and notes the directory and the progress that programs report. Full-screen agents stall at start
 * without these answers. Cursor position, device attributes and modes are answered by the emulator.
 */
export function answerQueries(terminal: Terminal, answer: (bytes: string) => void): ProgramState {
  const { parser } = terminal;
  let cwd: string | undefined;
  let progress = 0;
  const stacks = { normal: [0], alternate: [0] };
  const stack = (): number[] => stacks[terminal.buffer.active.type];
  const number = (value: number | number[] | undefined, otherwise: number): number =>
    typeof value === 'number' ? value : otherwise;

  parser.registerCsiHandler({ prefix: '>', final: 'q' }, () => {
    answer(`\x1bP>|herdr ${VERSION}\x1b\\`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    answer(`\x1b[?${stack().at(-1) ?? 0}u`);
    return true;
  });
  parser.registerCsiHandler({ prefix: '>', final: 'u' }, ([flags]) => {
    stack().push(number(flags, 0));
    // A program that pushes without end keeps its newest entries, as kitty's own limit does.
    if (stack().length > KEYBOARD_STACK) stack().splice(1, 1);
    return true;
  });
  parser.registerCsiHandler({ prefix: '<', final: 'u' }, ([count]) => {
    const flags = stack();
    flags.splice(Math.max(1, flags.length - Math.max(1, number(count, 1))));
    return true;
  });
  parser.registerCsiHandler({ prefix: '=', final: 'u' }, ([flags, mode]) => {
    const current = stack().pop() ?? 0;
    const given = number(flags, 0);
    const how = number(mode, 1);
    stack().push(how === 2 ? current | given : how === 3 ? current & ~given : given);
    return true;
  });
  parser.registerCsiHandler({ final: 't' }, ([kind]) => {
    if (kind !== 18) return false;
    answer(`\x1b[8;${terminal.rows};${terminal.cols}t`);
    return true;
  });

  const colourQuery = (code: number, hex: string) =>
    parser.registerOscHandler(code, (text) => {
      if (text !== '?') return false;
      answer(`\x1b]${code};${told(hex)}\x1b\\`);
      return true;
    });
  colourQuery(10, FOREGROUND);
  colourQuery(11, BACKGROUND);
  colourQuery(12, FOREGROUND);
  parser.registerOscHandler(4, (text) => {
    const match = /^(\d+);\?$/.exec(text);
    const hex = match ? PALETTE[Number(match[1])] : undefined;
    if (hex === undefined) return false;
    answer(`\x1b]4;${match?.[1]};${told(hex)}\x1b\\`);
    return true;
  });
  parser.registerOscHandler(7, (text) => {
    cwd = reportedDirectory(text) ?? cwd;
    return true;
  });
  parser.registerOscHandler(9, (text) => {
    const match = /^(4|9);(.*)$/s.exec(text);
    if (match?.[1] === '9') cwd = reportedDirectory(match[2]?.replace(/^"|"$/g, '') ?? '') ?? cwd;
    else if (match) progress = Number.parseInt(match[2] ?? '', 10) || 0;
    return true;
  });
  return { kittyFlags: () => stack().at(-1) ?? 0, reportedCwd: () => cwd, progress: () => progress };
}
