/** Why Git finds nothing in a repository, or on a branch, that holds no commits yet. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { runGit } from '../../roots/index.ts';
import type { GitQuestion } from './commands.ts';
import { GIT_MS, STDERR_CHARS } from './limits.ts';

/** What holds no commits: the repository, only the branch that is checked out, or neither. */
export type Emptiness = 'repository' | 'branch' | 'neither';

/**
 * Asks Git for one commit, of any ref and of HEAD. Costs two processes, so only for a question that has failed already.
 * A question that Git cannot answer counts as `neither`: then its own words are the better reason.
 */
export async function emptinessOf(path: string, signal: AbortSignal): Promise<Emptiness> {
  const ask = (args: string[]) => runGit(args, { cwd: path, timeoutMs: GIT_MS, maxBytes: STDERR_CHARS, signal });
  const head = await ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code === 0 || head.aborted || head.timedOut) return 'neither';
  const any = await ask(['rev-list', '--all', '--max-count=1']);
  if (any.code !== 0) return 'neither';
  return any.stdout.length === 0 ? 'repository' : 'branch';
}

/** The refusal for an action that needs a commit where there is none. Pure. */
export function noCommits(
  path: string,
  question: GitQuestion,
  empty: 'repository' | 'branch',
  facts: Record<string, unknown>,
): OutcomeError {
  const what = empty === 'repository' ? path : `The branch that is checked out in ${path}`;
  return new OutcomeError('git_failed', `${what} has no commits yet, so there is nothing to ${question.action}.`, {
    next:
      empty === 'repository'
        ? 'See with herdr_git status and herdr_fs_read what stands there; history begins with the first commit.'
        : 'Give as rev a branch that has commits; herdr_exec with "git branch --all" lists them.',
    details: { ...facts, no_commits: true },
  });
}
