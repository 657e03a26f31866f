/** Which files hold work that no commit has. One Git query a repository, without the index lock. */
import { statSync } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../contract/outcome.ts';
import { runGit } from './git.ts';
import { DIRTY_GIT_BYTES, DIRTY_GIT_MS } from './limits.ts';
import { below, isWithin } from './segments.ts';

/** Why a file is dirty. Untracked and ignored files count: Git could bring neither back. */
export type DirtyState = 'modified' | 'untracked' | 'ignored';

/**
 * The dirty ones among canonical paths of existing files inside a root. A file in a nested repository (submodule) is
 * asked about there. Throws `git_status_failed`; then nothing is known and nothing may be changed.
 */
export async function readDirty(root: string, paths: readonly string[]): Promise<Map<string, DirtyState>> {
  const byRepository = new Map<string, string[]>();
  for (const path of paths) {
    const repository = repositoryOf(root, path);
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), path]);
  }
  const dirty = new Map<string, DirtyState>();
  await Promise.all(
    [...byRepository].map(async ([repository, members]) => {
      const output = await status(repository, members);
      for (const path of members) {
        const state = stateIn(output, below(repository, path));
        if (state !== undefined) dirty.set(path, state);
      }
    }),
  );
  return dirty;
}

/** Refuses dirty files unless the caller acknowledged them. */
export function dirtyGate(dirty: ReadonlyMap<string, DirtyState>, confirm: boolean): OutcomeError | undefined {
  if (confirm || dirty.size === 0) return undefined;
  const files = [...dirty].map(([path, state]) => ({ path, state }));
  const names = files.map(({ path, state }) => `${path} (${state})`).join(', ');
  return new OutcomeError('file_dirty_confirmation_required', `Uncommitted work is in ${names}; nothing was changed.`, {
    next: 'Look at it with herdr_git diff, then call again with confirm_dirty true.',
    details: { dirty: files },
  });
}

/** The innermost folder with a `.git` between the file and its root. */
function repositoryOf(root: string, path: string): string {
  for (let at = posix.dirname(path); isWithin(root, at); at = posix.dirname(at)) {
    if (at === root || statSync(posix.join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at;
  }
  return root;
}

async function status(repository: string, paths: readonly string[]): Promise<Map<string, DirtyState>> {
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames', '--'];
  const result = await runGit([...args, ...paths.map((path) => below(repository, path))], {
    cwd: repository,
    timeoutMs: DIRTY_GIT_MS,
    maxBytes: DIRTY_GIT_BYTES,
  });
  if (result.code === 0 && !result.truncated) return parseStatus(result.stdout.toString('utf8'));
  const why = result.timedOut
    ? `Git did not answer within ${DIRTY_GIT_MS / 1000} s`
    : result.truncated
      ? 'Git listed too many files'
      : `git status said: ${result.stderr.toString('utf8').trim().slice(0, 500)}`;
  throw new OutcomeError(
    'git_status_failed',
    `Whether the files are dirty is not known (${why}); nothing was changed.`,
    {
      next: 'Look at the repository with herdr_git status, then call again.',
      delivery: 'not_delivered',
    },
  );
}

/** `XY name` records, each ended by NUL; with `--no-renames` none carries a second name. */
function parseStatus(output: string): Map<string, DirtyState> {
  const states = new Map<string, DirtyState>();
  for (const record of output.split('\0')) {
    if (record.length < 4) continue;
    const code = record.slice(0, 2);
    states.set(record.slice(3), code === '??' ? 'untracked' : code === '!!' ? 'ignored' : 'modified');
  }
  return states;
}

/** A wholly ignored or untracked folder is listed as `folder/` and speaks for all in it. */
function stateIn(states: ReadonlyMap<string, DirtyState>, path: string): DirtyState | undefined {
  const own = states.get(path);
  if (own !== undefined) return own;
  for (const [name, state] of states) if (name.endsWith('/') && path.startsWith(name)) return state;
  return undefined;
}
