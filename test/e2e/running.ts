/** `npm start` as a person runs it: the script as a process, its words, its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStartTime } from '../../local/spawn/index.ts';
import { type Place, processesOf } from './product.ts';

export const START = join(import.meta.dirname, '..', '..', 'scripts', 'start.ts');

export interface Running {
  process: ChildProcess;
  said(): string;
  /** Resolves when everything runs; rejects with what was said when it ended instead. */
  ready: Promise<void>;
  /** Exit code, or the signal's name. */
  ended: Promise<number | string | null>;
}

/** Runs it with `stdin` as its whole input, empty when absent. */
export function runStart(at: Place, args: string[] = [], env: Record<string, string> = {}, stdin = ''): Running {
  const child = spawn(process.execPath, [START, ...args], {
    cwd: at.repository,
    env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, INIT_CWD: at.repository, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // it ended without reading: what it says is what counts
  child.stdin.end(stdin);
  let said = '';
  const heard = (text: string) => {
    said += text;
  };
  child.stdout.setEncoding('utf8').on('data', heard);
  child.stderr.setEncoding('utf8').on('data', heard);
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => said.includes('Ctrl-C ends everything.') && resolve());
    void ended.then(() => reject(new Error(said)));
  });
  ready.catch(() => undefined); // a test that expects a refusal waits for the end alone
  return { process: child, said: () => said, ready, ended };
}

/** The pid of one running part, as it says itself; workerd says nothing and is found by its arguments. */
export function pidOf(at: Place, part: 'runtime' | 'link' | 'embedded-herdr' | 'edge'): number {
  if (part === 'edge') {
    const line = processesOf(at.stateDir).find((one) => /^\s*\d+ \S*workerd serve /.test(one));
    return Number.parseInt(line ?? '', 10);
  }
  const name = { runtime: 'runtime-a', link: 'link', 'embedded-herdr': 'herdr' }[part];
  const { children } = JSON.parse(read(at, 'observed.json')) as {
    children: { name: string; process?: { pid: number } }[];
  };
  return children.find((one) => one.name === name)?.process?.pid ?? Number.NaN;
}

const read = (at: Place, file: string): string => readFileSync(join(at.stateDir, file), 'utf8');

/** Waits until a process is gone; the test's own time limit is the only bound. */
export async function gone(pid: number): Promise<void> {
  while (processStartTime(pid) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
}

export const exists = (at: Place, file: string): boolean => existsSync(join(at.stateDir, file));
