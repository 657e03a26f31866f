import type { IPty } from '@lydell/node-pty';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import type { KeyModes, PaneScrollInfo, ReadFormat, ReadSource } from '../../contract/herdr/index.ts';
import {
  COLUMNS,
  MAX_UNTAKEN_INPUT_BYTES,
  PAUSE_ABOVE_CHARS,
  RESUME_BELOW_CHARS,
  ROWS,
  SCROLLBACK_ROWS,
} from '../limits.ts';
import { answerQueries } from './queries.ts';
import { type Reading, readScreen, scrollOf } from './reading.ts';

export interface TerminalSpec {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export interface TerminalEvents {
  /** The screen may look different now. */
  onOutput(): void;
  onTitle(title: string): void;
  /** The process ended and everything that it printed has been drawn. Comes once. */
  onExit(exit: { exitCode: number; signal?: number }): void;
}

/** One PTY with the screen that it draws on. */
export interface PaneTerminal {
  readonly pid: number;
  /** Moves with every drawn piece of output. */
  outputSeq(): number;
  title(): string;
  reportedCwd(): string | undefined;
  progress(): number;
  keyModes(): KeyModes;
  bracketedPaste(): boolean;
  alternateScreen(): boolean;
  rows(): number;
  /** Hands bytes to the PTY; false when it is closed or its input has not been taken for too long. */
  write(bytes: string): boolean;
  read(source: ReadSource, lines: number | undefined, format: ReadFormat): Reading;
  scroll(): PaneScrollInfo;
}

/** Kitty's flag "report all keys as escape codes". */
const REPORT_ALL_KEYS = 8;

/** Bytes that the PTY has not taken yet. node-pty keeps its stream to itself, so this looks at it with care. */
function untakenInput(process: IPty): number {
  const stream: unknown = '_socket' in process ? process._socket : undefined;
  if (typeof stream !== 'object' || stream === null || !('writableLength' in stream)) return 0;
  return typeof stream.writableLength === 'number' ? stream.writableLength : 0;
}

/**
 * Starts a process in a PTY of 80×24 and draws what it prints. A process that prints faster than we draw is held back
 * by the PTY, so output never piles up here. Throws when the process cannot be started.
 */
export function openTerminal(spec: TerminalSpec, events: TerminalEvents): PaneTerminal {
  const screen = new headless.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: SCROLLBACK_ROWS,
    allowProposedApi: true,
  });
  const process = pty.spawn(spec.file, [...spec.args], {
    name: spec.env['TERM'] ?? 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd: spec.cwd,
    env: { ...spec.env },
  });
  let open = true;
  let title = '';
  let seq = 0;
  let undrawn = 0;
  let paused = false;

  const write = (bytes: string): boolean => {
    if (!open || untakenInput(process) + bytes.length > MAX_UNTAKEN_INPUT_BYTES) return false;
    process.write(bytes);
    return true;
  };
  const program = answerQueries(screen, write);
  screen.onData(write);
  screen.onBinary(write);
  screen.onTitleChange((next) => {
    title = next;
    events.onTitle(next);
  });
  process.onData((chunk) => {
    undrawn += chunk.length;
    if (!paused && undrawn > PAUSE_ABOVE_CHARS) {
      paused = true;
      process.pause();
    }
    screen.write(chunk, () => {
      undrawn -= chunk.length;
      seq++;
      if (paused && undrawn < RESUME_BELOW_CHARS) {
        paused = false;
        process.resume();
      }
      events.onOutput();
    });
  });
  process.onExit((exit) => {
    open = false;
    // Output that arrived before the exit is still on its way to the screen: the empty write comes after it.
    screen.write('', () => {
      events.onExit(exit);
      screen.dispose();
    });
  });

  const view = () => ({ buffer: screen.buffer.active, rows: screen.rows, columns: screen.cols });
  return {
    pid: process.pid,
    outputSeq: () => seq,
    title: () => title,
    reportedCwd: program.reportedCwd,
    progress: program.progress,
    keyModes: () => ({
      applicationCursor: screen.modes.applicationCursorKeysMode,
      reportAllKeys: (program.kittyFlags() & REPORT_ALL_KEYS) !== 0,
    }),
    bracketedPaste: () => screen.modes.bracketedPasteMode,
    alternateScreen: () => screen.buffer.active.type === 'alternate',
    rows: () => screen.rows,
    write,
    read: (source, lines, format) => readScreen(view(), source, lines, format),
    scroll: () => scrollOf(view()),
  };
}
