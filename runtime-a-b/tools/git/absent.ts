/** A path that names nothing: to whoever mistyped it, an answer without a change or a commit would read as "unchanged". */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../../roots/index.ts';
import type { GitQuestion } from './commands.ts';
import { GIT_MS, STDERR_CHARS } from './limits.ts';

/**
 * Whether neither the working tree nor the index has the path of a question whose answer was empty. Costs a process only
 * for one that the working tree lacks. When Git does not say, it is not called absent.
 */
export async function isAbsent(repository: string, { path }: GitQuestion, signal: AbortSignal): Promise<boolean> {
  if (path === undefined || lstatSync(join(repository, path), { throwIfNoEntry: false }) !== undefined) return false;
  const { code, stdout } = await runGit(['ls-files', '-z', '--', path], {
    ...{ cwd: repository, timeoutMs: GIT_MS, maxBytes: STDERR_CHARS, endAtMaxBytes: true, signal },
  });
  return code === 0 && stdout.length === 0;
}

export const ABSENT = {
  path_exists: false,
  next: 'Neither the working tree nor the index has this path: check it with herdr_fs_list, or look for its history with action log and rev.',
} as const;
