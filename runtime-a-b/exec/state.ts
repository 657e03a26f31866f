/** What a session's folder says about it, for whichever generation asks. */
import { statSync } from 'node:fs';
import { type Done, isFull, type Meta, readDone, readMeta, readText, sessionPath, writeDone } from './folder.ts';
import { START_MS } from './limits.ts';
import { findWrapper, isWrapper, markedProcesses } from './processes.ts';
import { readExit, readStages, readStep } from './wrapper.ts';

export interface SessionState {
  id: string;
  command: string;
  root: string;
  cwd: string;
  startedAtMs: number;
  running: boolean;
  /** The pane that runs it, when one does. */
  pane?: { server: string; id: string };
  /** Set when it ended. */
  done?: Done;
}

/**
 * Reads the state. An end that nobody has written down yet is written down now; a wrapper that is gone without a word
 * makes the session lost, unless it may be starting still (`startMs` after its folder). Undefined when there is none.
 */
export function readState(
  base: string,
  id: string,
  nowMs: number,
  startMs: number = START_MS,
): SessionState | undefined {
  const meta = readMeta(base, id);
  if (meta === undefined) return undefined;
  const facts = {
    id,
    command: commandOf(meta),
    root: meta.root,
    cwd: meta.cwd,
    startedAtMs: meta.startedAtMs,
    ...(meta.pane === undefined ? {} : { pane: meta.pane }),
  };
  const done = readDone(base, id) ?? settleFromFiles(base, id, nowMs - meta.startedAtMs < startMs, nowMs);
  return done === undefined ? { ...facts, running: true } : { ...facts, running: false, done };
}

function settleFromFiles(base: string, id: string, mayBeStarting: boolean, nowMs: number): Done | undefined {
  const pid = wrapperPid(base, id);
  if (pid === undefined && mayBeStarting && writtenExit(base, id) === undefined) return undefined;
  if (pid !== undefined && isWrapper(pid, id)) return undefined;
  // The wrapper may have ended between the two looks; what it wrote before that is there now.
  const settled = readDone(base, id);
  if (settled !== undefined) return settled;
  const background = markedProcesses(id).some((each) => each.pid !== pid);
  const done = { ...endFromFiles(base, id, null, null, nowMs), ...(background ? { background } : {}) };
  try {
    writeDone(base, id, done);
  } catch (error) {
    if (!isFull(error)) throw error; // the next look finds the same
  }
  return done;
}

function writtenExit(base: string, id: string): number | undefined {
  const [named, draft] = ['exit', 'exit.new'].map((name) => readExit(readText(sessionPath(base, id, name))));
  return named ?? draft;
}

/** As the runtime noted it; when it was killed before it could, the wrapper is looked for. */
export function wrapperPid(base: string, id: string): number | undefined {
  const noted = /^(\d+)\n$/.exec(readText(sessionPath(base, id, 'pid')) ?? '')?.[1];
  return noted === undefined ? findWrapper(id) : Number(noted);
}

/** The end as the wrapper's files tell it; `code` and `signal` are what the kernel told its parent, when that is us. */
export function endFromFiles(
  base: string,
  id: string,
  code: number | null,
  signal: string | null,
  nowMs: number,
): Done {
  const text = (name: string) => readText(sessionPath(base, id, name));
  const path = ['exit', 'exit.new'].map((name) => sessionPath(base, id, name));
  const written = writtenExit(base, id);
  const exitCode = written ?? code;
  const stages = readStages(text('stages'), exitCode);
  const failedStep = exitCode === 0 ? undefined : readStep(text('step'));
  const at = path.map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs).find((each) => each !== undefined);
  return {
    v: 1,
    exitCode,
    signal: written === undefined ? signal : null,
    endedAtMs: Math.round(at ?? nowMs),
    ...(stages === undefined ? {} : { stages }),
    ...(failedStep === undefined ? {} : { failedStep }),
    ...(exitCode === null && signal === null ? { lost: true } : {}),
  };
}

/** What was started, as one line for a reader. */
export function commandOf(meta: Meta): string {
  if (meta.command !== undefined) return meta.command;
  const words = (meta.steps ?? []).map(({ program, args }) =>
    [program, ...args].map((word) => JSON.stringify(word)).join(' '),
  );
  return words.join(' && ');
}
