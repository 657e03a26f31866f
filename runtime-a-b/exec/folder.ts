/**
 * What a session keeps on disk, `<state>/exec/<id>/`. The command holds its output files itself and a wrapper writes the
 * exit status, so that any generation finds everything here, also after the one that started it is gone.
 *
 * `meta.json` what was started · `run` or `pane` the script · `command` when it is long · `pid` of the wrapper · `stdout`, `stderr` · `order` in which they grew · `exit` status from
 * the wrapper · `stages` of a pipe · `step` that failed · `done.json` the settled end · `*.hole` what was dropped.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../local/error/index.ts';

export interface Meta {
  v: 1;
  id: string;
  generation: string;
  boot: string;
  root: string;
  cwd: string;
  /** As the caller wrote it. */
  command?: string;
  steps?: { program: string; args: string[] }[];
  shell: string;
  /** The pane that runs it, when it is no child of a runtime: the Herdr server's key and the pane's id. */
  pane?: { server: string; id: string };
  startedAtMs: number;
  /** The dispatch that started it; by it a call is judged whose runtime died. */
  dispatch?: string;
}

/** How a session ended, as far as anybody knows. */
export interface Done {
  v: 1;
  /** The shell's; null when a signal ended the wrapper or when nobody knows. */
  exitCode: number | null;
  signal: string | null;
  endedAtMs: number;
  /** Exit codes of the stages of the last pipe. */
  stages?: number[];
  /** Number of the step that failed, from 1. */
  failedStep?: number;
  /** The wrapper vanished without a word: power loss, or somebody killed it. */
  lost?: true;
  /** Processes of the command were still running when it ended. */
  background?: true;
}

export const sessionPath = (base: string, id: string, name = ''): string => join(base, id, name);

export function readMeta(base: string, id: string): Meta | undefined {
  return readJson<Meta>(sessionPath(base, id, 'meta.json'));
}

export function readDone(base: string, id: string): Done | undefined {
  return readJson<Done>(sessionPath(base, id, 'done.json'));
}

/** Whole or not at all; the first of two writers that say the same wins as well as the second. */
export function writeDone(base: string, id: string, done: Done): void {
  writeWhole(sessionPath(base, id, 'done.json'), JSON.stringify(done));
}

export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** Whether the disk has no room: then what is known is told, and only not written down. */
export function isFull(error: unknown): boolean {
  return systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT';
}

/** The text of a small file, or undefined when there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function listSessions(base: string): string[] {
  try {
    return readdirSync(base);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readJson<T>(path: string): T | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // written half when the disk was full
    throw error;
  }
}
