/** Untracked files beside an unstaged diff, which does not mention them (reference: runtime 15, lesson 13). */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { posix } from 'node:path';
import { isSecretPath, runGit } from '../../roots/index.ts';
import { GIT_MS, UNTRACKED_BYTES, UNTRACKED_SHOWN, UNTRACKED_SNIFF_MAX } from './limits.ts';

export interface Untracked {
  files: { path: string; kind: 'text' | 'binary' | 'large' | 'symlink' | 'other'; bytes?: number }[];
  truncated: boolean;
}

/** Describes at most {@link UNTRACKED_SHOWN} files by name, kind and size; undefined when Git could not list them. */
export async function describeUntracked(
  repository: string,
  pathspec: readonly string[],
  hidden: (path: string) => boolean,
  signal: AbortSignal,
): Promise<Untracked | undefined> {
  const result = await runGit(['ls-files', '--others', '--exclude-standard', '-z', '--', ...pathspec], {
    cwd: repository,
    timeoutMs: GIT_MS,
    maxBytes: UNTRACKED_BYTES,
    endAtMaxBytes: true,
    signal,
  });
  if (result.code !== 0 && !result.truncated) return undefined;
  const names = result.stdout.toString('utf8').split('\0');
  names.pop(); // what follows the last NUL is nothing, or half a name
  const shown = names.filter((name) => !isSecretPath(name) && !hidden(name));
  return {
    files: shown.slice(0, UNTRACKED_SHOWN).map((path) => ({ path, ...kindOf(posix.join(repository, path)) })),
    truncated: result.truncated || shown.length > UNTRACKED_SHOWN,
  };
}

function kindOf(path: string): { kind: Untracked['files'][number]['kind']; bytes?: number } {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return { kind: 'other' };
  if (named.isSymbolicLink()) return { kind: 'symlink' };
  if (!named.isFile()) return { kind: 'other' };
  if (named.size > UNTRACKED_SNIFF_MAX) return { kind: 'large', bytes: named.size };
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return { kind: 'other', bytes: named.size }; // not readable, or replaced just now: nothing to say about it
  }
  try {
    const head = Buffer.alloc(Math.min(8_000, fstatSync(fd).size));
    readSync(fd, head, 0, head.length, 0);
    return { kind: head.includes(0) ? 'binary' : 'text', bytes: named.size };
  } finally {
    closeSync(fd);
  }
}
