/**
 * Runs an internal program (git, rg) on pipes and collects what it prints.
 *
 * Settles when the program has *ended*, and waits at most {@link PIPE_DRAIN_MS} more while a pipe is still open:
 * a background grandchild may hold it for ever (tinylibs/tinyexec#138). The program leads its own process group, so
 * that ending it ends what it started too. stdin is closed unless `input` is given.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LocalError, systemCode } from '../error/index.ts';
import { OUTPUT_BYTES_DEFAULT, PIPE_DRAIN_MS, RUN_MS_DEFAULT, TERM_GRACE_MS } from '../limits.ts';
import { type Patience, patience } from '../patience/index.ts';

export interface RunOptions {
  cwd?: string;
  /** The whole environment of the program; ours when absent. */
  env?: Readonly<Record<string, string | undefined>>;
  timeoutMs?: number;
  /** Kept of stdout and of stderr, each. What follows is read and dropped, and `truncated` is true. */
  maxBytes?: number;
  /** True ends the program once a stream exceeds `maxBytes`, for readers that need no more. */
  endAtMaxBytes?: boolean;
  input?: string | Uint8Array;
  /** True ends, at the end, also what the program left behind in its process group. */
  endGroup?: boolean;
  signal?: AbortSignal;
}

export interface RunResult {
  /** Exit code, or `null` when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: Buffer;
  truncated: boolean;
  timedOut: boolean;
  /** Ended by the caller's signal. */
  aborted: boolean;
}

/** Rejects with a {@link LocalError} only when the program could not be started; everything else is a result. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (options.signal?.aborted) return { ...NOTHING, aborted: true };
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const max = options.maxBytes ?? OUTPUT_BYTES_DEFAULT;
  let timedOut = false;
  let aborted = false;
  let killer: Patience | undefined;
  const end = () => {
    if (killer) return;
    signalGroup(child, 'SIGTERM');
    killer = patience(TERM_GRACE_MS, () => signalGroup(child, 'SIGKILL'));
  };
  const over = options.endAtMaxBytes ? end : () => undefined;
  const stdout = collect(child.stdout, max, over);
  const stderr = collect(child.stderr, max, over);
  child.stdin?.on('error', () => undefined); // a program may end without reading its input
  child.stdin?.end(options.input);
  const limit = patience(options.timeoutMs ?? RUN_MS_DEFAULT, () => {
    timedOut = true;
    end();
  });
  const abort = () => {
    aborted = true;
    end();
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  try {
    const { code, signal } = await ended(child, program, options.cwd);
    if (timedOut || aborted || options.endGroup) signalGroup(child, 'SIGKILL'); // what it started may have ignored the first signal
    return {
      code,
      signal,
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      truncated: stdout.truncated() || stderr.truncated(),
      timedOut,
      aborted,
    };
  } finally {
    limit.end();
    killer?.end();
    options.signal?.removeEventListener('abort', abort);
  }
}

const NOTHING: RunResult = {
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  aborted: false,
};

function ended(child: ChildProcess, program: string, cwd: string | undefined) {
  return new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(notStarted(program, cwd, error));
    });
    child.once('exit', (code, signal) => {
      const drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, PIPE_DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drain);
        resolve({ code, signal });
      });
    });
  });
}

function notStarted(program: string, cwd: string | undefined, error: Error): LocalError {
  if (cwd !== undefined && !existsSync(cwd)) {
    return new LocalError(
      'cwd_missing',
      `${program} was not started: the folder ${cwd} does not exist.`,
      'Check the folder.',
      error,
    );
  }
  const code = systemCode(error);
  return code === 'ENOENT'
    ? new LocalError(
        'program_missing',
        `${program} was not found on the PATH.`,
        `Install ${program} and try again.`,
        error,
      )
    : new LocalError(
        'program_not_started',
        `${program} could not be started (${code ?? error.message}).`,
        'Try again.',
        error,
      );
}

function collect(stream: NodeJS.ReadableStream | null, max: number, onOver: () => void) {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  stream?.on('data', (chunk: Buffer) => {
    const room = max - kept;
    if (chunk.length > room) {
      truncated = true;
      onOver();
    }
    if (room <= 0) return;
    const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
    chunks.push(part);
    kept += part.length;
  });
  return { bytes: () => Buffer.concat(chunks), truncated: () => truncated };
}

/** Signals the whole group; a group that has ended already is no error. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}
