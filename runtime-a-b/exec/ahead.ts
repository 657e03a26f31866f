/**
 * The next session, made while nothing waits for it: its folder, its files and a wrapper that waits for its command.
 * Making them costs more than all else that we do ourselves for a command. One that is never used has an empty
 * `meta.json` and is no session; its wrapper ends with the runtime, or when it is discarded.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { systemCode } from '../../local/error/index.ts';
import { sessionPath } from './folder.ts';
import { AHEAD_MS } from './limits.ts';
import { isWrapper } from './processes.ts';
import { commandEnvironment } from './session-env.ts';
import { WRAPPER } from './wrapper.ts';

type Login = Readonly<Record<string, string>>;

export interface Prepared {
  id: string;
  folder: string;
  /** Open for writing what the session is. */
  meta: number;
  child: ChildProcess;
  pid: number;
  /** Ends when no process of the command holds it any more, wherever those processes went. */
  liveness: Socket;
  /** The environment that its wrapper was started with. */
  login: Login;
  madeAtMs: number;
}

/** Descriptor of the liveness pipe in the command: above those that scripts use for themselves. */
const LIVENESS_FD = 9;

export class SessionAhead {
  readonly #base: string;
  readonly #newId: () => string;
  readonly #nowMs: () => number;
  #next: Prepared | undefined;

  constructor(base: string, newId: () => string, nowMs: () => number) {
    this.#base = base;
    this.#newId = newId;
    this.#nowMs = nowMs;
  }

  /** A session to use now, in this environment; throws what the system says when none can be made. */
  take(login: Login): Prepared {
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) return this.#make(login);
    // An old one may have been swept away by another generation, and somebody may have ended its wrapper.
    const age = this.#nowMs() - next.madeAtMs;
    if (age >= 0 && age < AHEAD_MS && next.login === login && waits(next)) return next;
    discard(next);
    return this.#make(login);
  }

  /** Makes the next one unless it is there. Trouble (a full disk) is left to the command that needs it. */
  prepare(login: Login): void {
    try {
      this.#next ??= this.#make(login);
    } catch {
      this.#next = undefined;
    }
  }

  close(): void {
    if (this.#next !== undefined) discard(this.#next);
    this.#next = undefined;
  }

  #make(login: Login): Prepared {
    const id = this.#newId();
    const folder = sessionPath(this.#base, id);
    const open: number[] = [];
    try {
      mkdirSync(folder, { mode: 0o700 });
      for (const name of ['meta.json', 'stdout', 'stderr']) open.push(openSync(`${folder}/${name}`, 'a', 0o600));
      const [meta, stdout, stderr] = open as [number, number, number];
      const started = startWrapper(id, folder, { stdout, stderr }, commandEnvironment(login, id));
      for (const fd of [stdout, stderr]) closeSync(fd);
      return { id, folder, meta, ...started, login, madeAtMs: this.#nowMs() };
    } catch (error) {
      for (const fd of open) closeSync(fd);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

function startWrapper(
  id: string,
  folder: string,
  files: { stdout: number; stderr: number },
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; pid: number; liveness: Socket } {
  const child = spawn('/bin/sh', ['-c', WRAPPER, `herdr-mcp-exec:${id}`, folder], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', files.stdout, files.stderr, ...Array<'ignore'>(LIVENESS_FD - 3).fill('ignore'), 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) {
    child.on('error', () => undefined); // what went wrong also comes as an event, which must not end the runtime
    throw new Error('the shell did not start');
  }
  const liveness = (child.stdio as unknown as Socket[])[LIVENESS_FD] as Socket;
  liveness.on('error', () => liveness.destroy()); // a reset says the same as an end
  liveness.resume();
  liveness.unref();
  child.stdin?.on('error', () => undefined); // a wrapper that is gone tells by its exit
  (child.stdin as Socket | null)?.unref();
  child.unref();
  notePid(folder, pid);
  return { child, pid, liveness };
}

/** Without it another generation finds the wrapper by its mark, which takes longer; so trouble here is none. */
function notePid(folder: string, pid: number): void {
  try {
    writeFileSync(`${folder}/pid`, `${pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** An end that the system has not told us yet is asked for where asking costs no process. */
function waits({ child, pid, id }: Prepared): boolean {
  if (child.exitCode !== null || child.signalCode !== null) return false;
  return process.platform !== 'linux' || isWrapper(pid, id);
}

/** Lets the wrapper go without a command and removes the folder. */
export function discard(prepared: Prepared): void {
  closeSync(prepared.meta);
  prepared.child.stdin?.destroy();
  prepared.liveness.destroy();
  rmSync(prepared.folder, { recursive: true, force: true });
}
