/** The person's terminal while a command draws in all of it: taken over once, given back once, whatever ends the command. */
import { writeSync } from 'node:fs';
import { UsageError } from '../exit.ts';

export interface Size {
  columns: number;
  rows: number;
}

/** Taken over: own screen, no wrapping (the terminal itself cuts what is too wide), no cursor (nobody types a text here). */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[?25l\u001b[2J';
/** Given back as it was. */
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

export interface Screen {
  size(): Size;
  /** Shows a frame, unless it is the one that stands there. */
  show(frame: string): void;
  /** Gives the terminal back. Calling it again does nothing. */
  leave(): void;
}

/** Signals that end the command; each gets the terminal back to the person first. */
const ENDINGS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

/** Throws a usage error where there is no terminal; `otherwise` says what to do then. */
export function takeScreen(
  events: { input: (bytes: Buffer) => void; resized: () => void; ended: () => void },
  otherwise: string,
): Screen {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw new UsageError(`This needs a terminal; ${otherwise}`);
  }
  let last: string | undefined;
  let left = false;
  const resized = () => {
    last = undefined;
    stdout.write('\u001b[2J');
    events.resized();
  };
  const onSignal = (signal: NodeJS.Signals) => {
    leave();
    process.exit(ENDINGS[signal as keyof typeof ENDINGS]);
  };

  function leave(): void {
    if (left) return;
    left = true;
    stdin.off('data', events.input).off('end', events.ended).pause();
    stdout.off('resize', resized);
    for (const signal of Object.keys(ENDINGS)) process.off(signal, onSignal);
    process.off('exit', leave);
    try {
      stdin.setRawMode(false);
      // Written at once: a process that ends does not wait for a stream.
      writeSync(stdout.fd, LEAVE);
    } catch (error) {
      // A terminal that is gone (EIO, EBADF) needs nothing back.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  for (const signal of Object.keys(ENDINGS)) process.on(signal, onSignal);
  process.on('exit', leave);
  stdin.setRawMode(true);
  stdout.write(ENTER);
  stdin.on('data', events.input).on('end', events.ended).resume();
  stdout.on('resize', resized);
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    show(frame) {
      if (left || frame === last) return;
      last = frame;
      stdout.write(frame);
    },
    leave,
  };
}
