/** How answers put a command's end. An exit code is the shell's and called so; nothing calls it success. Pure. */
import { constants } from 'node:os';
import type { Done, SessionState, Survivor } from '../../exec/index.ts';
import { CHILDREN_NAMED } from './limits.ts';

/** Facts about an ended command, under the names that answers use. */
export function describeEnd(done: Done): Record<string, unknown> {
  const hint = signalHint(done);
  return {
    exit_code: done.exitCode,
    exit_code_of: 'shell',
    ...(done.stages === undefined ? {} : { pipe_exit_codes: done.stages }),
    ...(done.failedStep === undefined ? {} : { failed_step: done.failedStep }),
    ...(done.signal === null ? {} : { signal: done.signal }),
    ...(hint === undefined ? {} : { exit_code_hint: hint }),
    ...(done.lost === true
      ? { lost: 'Nobody saw how it ended: the workstation was restarted, or its shell was killed.' }
      : {}),
    finished_at: new Date(done.endedAtMs).toISOString(),
  };
}

/** Shells report a child that a signal ended as 128 and the signal's number. */
function signalHint(done: Done): string | undefined {
  if (done.exitCode === null || done.exitCode <= 128) return undefined;
  const name = Object.entries(constants.signals).find(([, number]) => number === (done.exitCode ?? 0) - 128)?.[0];
  return name === undefined ? undefined : `128 + ${done.exitCode - 128}: usually ended by ${name}`;
}

/** `execution` and `failure_origin` as the reference has them (runtime 4.4). */
export function describeExecution(state: SessionState): Record<string, unknown> {
  const { done } = state;
  const failed = done !== undefined && done.exitCode !== 0;
  return {
    execution: { started: true, completed: done !== undefined, exit_code: done?.exitCode ?? null },
    ...(done === undefined ? { failure_origin: 'timeout' } : {}),
    ...(failed ? { failure_origin: done.lost === true ? 'unknown' : 'child_process' } : {}),
  };
}

/** What a command left running; of very many the first are named and all are counted. */
export function describeChildren(alive: readonly Survivor[]): Record<string, unknown> {
  if (alive.length === 0) return {};
  const named = alive.slice(0, CHILDREN_NAMED);
  return {
    background_children: named,
    ...(alive.length > named.length ? { background_children_total: alive.length } : {}),
  };
}
