/** Starting one command so that it needs nobody: its streams are files, it leads its own group, a wrapper keeps its end. */
import { closeSync, realpathSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { discard, type Prepared } from './ahead.ts';
import type { Meta } from './folder.ts';
import { COMMAND_ARGUMENT_BYTES } from './limits.ts';
import type { Shell } from './shell.ts';
import { bashCommand, GO, quoted, runScript, stepsScript } from './wrapper.ts';

/**
 * Starts what `meta` says in a session that is ready. Throws `disk_full` or `exec_start_failed`, both `not_delivered`: then
 * nothing ran and nothing is left.
 */
export function launch(prepared: Prepared, meta: Meta, shell: Shell): void {
  const { folder, child } = prepared;
  try {
    if (!statSync(meta.cwd).isDirectory()) throw new Error('it is no directory');
    if (realpathSync.native(meta.cwd) !== meta.cwd) throw new Error('a link stands in its place');
    writeSync(prepared.meta, JSON.stringify(meta));
    writeFileSync(`${folder}/run`, runScript(meta.cwd, programOf(meta, shell, folder)), { mode: 0o600 });
  } catch (error) {
    discard(prepared);
    throw startFailure(error, meta.cwd);
  }
  closeSync(prepared.meta);
  child.stdin?.end(GO);
}

/** The program of a session with its arguments; long texts are put into its folder. */
export function programOf(meta: Meta, shell: Shell, folder: string): string[] {
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
