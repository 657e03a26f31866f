/** Starting one command so that it needs nobody: its streams are files, it leads its own group, a wrapper keeps its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { discard, type Prepared, release } from './ahead.ts';
import type { Meta } from './folder.ts';
import { COMMAND_ARGUMENT_BYTES } from './limits.ts';
import type { Shell } from './shell.ts';
import { bashCommand, quoted, stepsScript, WRAPPER } from './wrapper.ts';

export interface Launched {
  child: ChildProcess;
  pid: number;
  /** Ends when no process of the command holds it any more, wherever those processes went. */
  liveness: Socket;
}

/** Descriptor of the liveness pipe in the command: above those that scripts use for themselves. */
const LIVENESS_FD = 9;

/**
 * Starts what `meta` says in a folder that is ready. Throws `disk_full` or `exec_start_failed`, both `not_delivered`: then
 * nothing ran and nothing is left.
 */
export function launch(prepared: Prepared, meta: Meta, shell: Shell, env: Readonly<Record<string, string>>): Launched {
  const { folder } = prepared;
  try {
    writeSync(prepared.meta, JSON.stringify(meta));
    const program = programOf(meta, shell, folder);
    const child = spawn('/bin/sh', ['-c', WRAPPER, `herdr-mcp-exec:${meta.id}`, folder, ...program], {
      cwd: meta.cwd,
      env,
      detached: true,
      stdio: ['ignore', prepared.stdout, prepared.stderr, ...Array<'ignore'>(LIVENESS_FD - 3).fill('ignore'), 'pipe'],
    });
    if (child.pid === undefined) {
      child.on('error', () => undefined); // what went wrong also comes as an event, which must not end the runtime
      throw new Error('the shell did not start; does the directory exist?');
    }
    const liveness = (child.stdio as unknown as Socket[])[LIVENESS_FD] as Socket;
    liveness.on('error', () => liveness.destroy()); // a reset says the same as an end
    liveness.resume();
    liveness.unref();
    child.unref();
    release(prepared);
    notePid(folder, child.pid);
    return { child, pid: child.pid, liveness };
  } catch (error) {
    discard(prepared);
    throw startFailure(error, meta.cwd);
  }
}

/** Without it another generation finds the wrapper by its mark, which takes longer; so trouble here is none. */
function notePid(folder: string, pid: number): void {
  try {
    writeFileSync(`${folder}/pid`, `${pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

function programOf(meta: Meta, shell: Shell, folder: string): string[] {
  if (meta.steps !== undefined) return ['/bin/sh', '-c', asArgument(stepsScript(meta.steps, folder), folder)];
  const command = meta.command ?? '';
  const text = asArgument(command, folder);
  // Only a pipe has stages; without the trap a shell may become its last program, and signals reach it directly.
  return [shell.path, '-c', shell.kind === 'bash' && command.includes('|') ? bashCommand(text, folder) : text];
}

/** The text itself, or what reads it from the session's folder: the system takes no longer one as an argument. */
function asArgument(text: string, folder: string): string {
  if (Buffer.byteLength(text) <= COMMAND_ARGUMENT_BYTES) return text;
  writeFileSync(`${folder}/command`, text, { mode: 0o600 });
  return `. ${quoted(`${folder}/command`)}`;
}

/** What the system says when a command cannot be started. */
export function startFailure(error: unknown, cwd: string): OutcomeError {
  if (error instanceof OutcomeError) return error;
  const code = systemCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new OutcomeError('disk_full', 'The disk with the state folder is full, so nothing was run.', {
      next: 'Free some space on the workstation, then call again.',
      delivery: 'not_delivered',
      cause: error,
    });
  }
  const why = error instanceof Error && code === undefined ? error.message : (code ?? 'unknown reason');
  return new OutcomeError(
    'exec_start_failed',
    `The command could not be started in ${cwd} (${why}); nothing was run.`,
    {
      next: 'Check with herdr_fs_list that the directory exists, then call again.',
      delivery: 'not_delivered',
      cause: error,
    },
  );
}
