/** Runs `writer.ts` in a process of its own and collects what it was told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ownProgram } from '../../support/program.ts';

export interface Writer {
  child: ChildProcess;
  /** Lines so far. */
  lines: string[];
  /** Resolves once so many lines are there or the process has ended. */
  reached(lines: number): Promise<void>;
  /** Resolves when the process has ended and all it said was read. */
  ended: Promise<void>;
}

const SCRIPT = await ownProgram(new URL('./writer.ts', import.meta.url));

export function startWriter(dir: string, name: string, count?: number): Writer {
  const child = spawn(process.execPath, [SCRIPT, dir, name, ...(count === undefined ? [] : [String(count)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting: { at: number; done: () => void }[] = [];
  const settle = (all: boolean) => {
    for (const wait of waiting.splice(0)) {
      if (all || lines.length >= wait.at) wait.done();
      else waiting.push(wait);
    }
  };
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    settle(false);
  });
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(() => settle(true));
  return {
    child,
    lines,
    ended,
    reached: (at) =>
      new Promise<void>((done) => {
        if (lines.length >= at || child.exitCode !== null || child.signalCode !== null) done();
        else waiting.push({ at, done });
      }),
  };
}
