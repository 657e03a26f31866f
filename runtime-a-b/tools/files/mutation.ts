/** What edit, write and patch have in common: one writer a root, gates, reading the old file, and committing. */
import { accessSync, closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { systemCode } from '../../../local/error/index.ts';
import { acquireLock } from '../../../local/files/index.ts';
import { ANSWER_MARGIN_MS } from '../../limits.ts';
import { admit, openInside, type Resolved, type Root, refuseGitInternal } from '../../roots/index.ts';
import type { IntendedChange, ToolContext, ToolHandler } from '../context.ts';
import { Turns } from '../turns.ts';
import {
  type Change,
  ChangedMeanwhile,
  CommitFailed,
  commitChanges,
  digest,
  type FileImage,
  readImage,
} from './commit/index.ts';
import { COMMIT_LOCK_MS, COMMIT_LOCK_POLL_MS, COMMIT_TRIES, EDIT_FILE_BYTES_MAX } from './limits.ts';
import { type Shape, shapeOf } from './text/index.ts';

/**
 * A failed change that certainly touched nothing says so: its key is free again, and nobody has to look it up. Only a
 * change that could not be taken back keeps its own word.
 */
export function mutating(handler: ToolHandler): ToolHandler {
  return async (args, context) => {
    try {
      return await handler(args, context);
    } catch (error) {
      if (!(error instanceof OutcomeError) || error.code === 'PATCH_COMMIT_FAILED') throw error;
      const { code, message, next, details, cause } = error;
      throw new OutcomeError(code, message, {
        next,
        cause,
        delivery: 'not_delivered',
        ...(details === undefined ? {} : { details }),
      });
    }
  };
}

const turns = new Turns();

/**
 * Runs changes of one root one after another, and again when somebody else changed a file between look and commit.
 * `attempt` looks anew each time. Throws `not_delivered` when its time is over before its turn comes.
 */
export const inTurn = <T>(root: string, context: ToolContext, attempt: () => Promise<T>): Promise<T> =>
  turns.take(root, context, () => persistent(attempt, context));

async function persistent<T>(attempt: () => Promise<T>, context: ToolContext): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      const isLate = context.signal.aborted || context.nowMs() > context.deadlineAtMs - ANSWER_MARGIN_MS;
      if (tries === COMMIT_TRIES || isLate) throw contended(error.path);
    }
  }
}

function changed(path: string, what: string): OutcomeError {
  return new OutcomeError('changed_since_read', `${path} ${what}; nothing was changed by this call.`, {
    next: 'Read the file again with herdr_fs_read, and build the change on what it holds now.',
  });
}

function contended(path: string): OutcomeError {
  return new OutcomeError(
    'changed_since_read',
    `${path} was changed by somebody else at the same moment, again and again; nothing was changed by this call.`,
    { next: 'Send the same call again in a moment; it is built on what the file holds by then.' },
  );
}

/** Git's own files, read-only mode, write roots, kind of root, agents at work. Returns warnings for the answer. */
export async function passGates(
  context: ToolContext,
  targets: readonly Resolved[],
  root: Root,
  confirmBusy: boolean,
): Promise<Record<string, unknown>> {
  for (const target of targets) refuseGitInternal(target);
  const view = context.live.view();
  const table = await context.roots.table(view);
  return admit({
    policy: context.policy,
    view,
    table,
    root,
    paths: targets.map((target) => target.path),
    confirmBusy,
    mutation: true,
  });
}

export interface Source extends FileImage {
  /** How its bytes are text; `binary` when they are none. */
  shape: Shape | 'binary';
}

/** The old file, whole. Throws when it is no file, too large, or may not be written by the workstation's user. */
export function readSource(resolved: Resolved): Source {
  const { fd, stats } = openInside(resolved);
  try {
    if (stats.size > EDIT_FILE_BYTES_MAX) {
      throw new OutcomeError(
        'file_too_large',
        `${resolved.asked} has ${stats.size} bytes; files up to ${EDIT_FILE_BYTES_MAX} are changed. Nothing was changed.`,
        {
          next: 'Change it with a program through herdr_exec, such as sed -i.',
          details: { bytes: stats.size, max_bytes: EDIT_FILE_BYTES_MAX },
        },
      );
    }
    accessSync(resolved.path, constants.W_OK);
    const image = readImage(fd);
    return { ...image, shape: shapeOf(image.bytes) };
  } catch (error) {
    if (error instanceof OutcomeError) throw error;
    throw writeFailure(error, [resolved.asked]);
  } finally {
    closeSync(fd);
  }
}

/** Compares with what the caller read; both `sha256:…` and bare hex are understood. */
export function checkExpected(path: string, sha256: string | undefined, expected: string | undefined): void {
  if (expected === undefined) return;
  const wanted = expected
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  if (sha256 === `sha256:${wanted}`) return;
  const now = sha256 === undefined ? 'does not exist' : `has sha256 ${sha256}`;
  throw changed(path, `${now}, not the expected sha256:${wanted}`);
}

/** Commits, or explains why nothing changed. {@link ChangedMeanwhile} passes through for another try. */
export async function commit(context: ToolContext, root: Root, changes: readonly Change[]): Promise<void> {
  const paths = changes.map((change) => change.path);
  const lock = await takeLock(context.policy.stateDir).catch((error: unknown) => {
    throw systemCode(error) === undefined ? error : writeFailure(error, paths);
  });
  try {
    commitChanges(changes, {
      root,
      stateDir: context.policy.stateDir,
      dispatchId: context.dispatchId,
      beforeChange: () => context.intend(changes.map(intention)),
    });
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw error;
    const failed = error instanceof CommitFailed ? error : undefined;
    const cause = failed?.cause ?? error;
    if (failed !== undefined && failed.conflicts.length > 0) throw halfDone(failed);
    if (cause instanceof OutcomeError) throw cause;
    throw writeFailure(cause, paths);
  } finally {
    lock.release();
  }
}

/** The other generation may be committing; two commits at once could overwrite each other in the same instant. */
async function takeLock(stateDir: string): Promise<{ release(): void }> {
  const until = performance.now() + COMMIT_LOCK_MS;
  for (;;) {
    const lock = acquireLock(join(stateDir, 'patches.lock'), 'file change');
    if (lock.held) return lock;
    if (performance.now() > until) {
      throw new OutcomeError(
        'write_failed',
        `Another process (pid ${lock.by.pid}) is changing files and does not finish; nothing was changed.`,
        {
          next: 'Call again in a moment.',
          delivery: 'not_delivered',
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, COMMIT_LOCK_POLL_MS));
  }
}

function intention(change: Change): IntendedChange {
  const { path } = change;
  const before = change.kind === 'create' ? null : change.before.sha256;
  return { path, before, after: change.kind === 'remove' ? null : digest(change.content) };
}

function halfDone(failed: CommitFailed): OutcomeError {
  const places = failed.conflicts.map(({ path, backup }) => `${path} (old bytes: ${backup})`).join(', ');
  return new OutcomeError(
    'PATCH_COMMIT_FAILED',
    `The change failed on the way and could not be taken back everywhere: ${places}. Everything else is as it was.`,
    {
      next: 'Compare each file with its old bytes and put right by hand what is wrong.',
      delivery: 'delivered',
      details: { conflicts: failed.conflicts, partial_applied: true },
      cause: failed.cause,
    },
  );
}

/** What the system says about a write, after everything was put back. */
export function writeFailure(error: unknown, paths: readonly string[]): OutcomeError {
  const code = systemCode(error);
  const where = paths.join(', ');
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new OutcomeError('disk_full', `There is no room on the disk for ${where} (${code}); nothing was changed.`, {
      next: 'Free some space on the workstation, then call again.',
      cause: error,
    });
  }
  if (code === 'EEXIST') return changed(where, 'was created by somebody else meanwhile');
  const why =
    code === 'EACCES' || code === 'EPERM'
      ? 'may not be written by the workstation user'
      : code === 'EROFS'
        ? 'lies on a read-only file system'
        : code === 'ENAMETOOLONG'
          ? 'has a name that is too long'
          : `could not be written (${code ?? 'unknown reason'})`;
  return new OutcomeError('write_failed', `${where} ${why}; nothing was changed.`, {
    next: 'Check the file and its directory with herdr_exec (ls -la).',
    cause: error,
  });
}
