/** Which Git command answers an action. Pure. */
import { LOG_COMMITS } from './limits.ts';

export type GitAction = 'status' | 'diff' | 'log' | 'show' | 'blame';

export interface GitQuestion {
  action: GitAction;
  /** Relative to the repository. */
  path?: string;
  staged?: boolean;
  rev?: string;
  maxCount?: number;
}

/**
 * No program that a configuration names may run for the output, and no configuration may change how it looks. Filters
 * (Git LFS) do run: without them Git would call every file that passes through one changed.
 */
const PLAIN_DIFF = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--submodule=short',
];
const PLAIN_LOG = ['--no-show-signature', '--no-color', '--encoding=UTF-8'];

/** Arguments after `git`; a revision never begins with a dash (see {@link readRevision}). */
export function gitArguments(question: GitQuestion): string[] {
  const { action, path, staged, rev, maxCount } = question;
  const revision = rev === undefined ? [] : [rev];
  const tail = ['--', ...(path === undefined ? [] : [path])];
  switch (action) {
    case 'status':
      return ['status', '--porcelain=v2', '--branch', '--show-stash', '-z', ...tail];
    case 'diff':
      return ['diff', ...PLAIN_DIFF, ...(staged === true ? ['--cached'] : []), ...revision, ...tail];
    case 'log':
      return [
        'log',
        ...PLAIN_LOG,
        `--max-count=${maxCount ?? LOG_COMMITS}`,
        '--date=iso-strict',
        '--format=%h %ad %an: %s%d',
        ...revision,
        ...tail,
      ];
    case 'show':
      return [
        'show',
        ...PLAIN_DIFF,
        ...PLAIN_LOG,
        '--date=iso-strict',
        '--format=fuller',
        ...(rev === undefined ? ['HEAD'] : revision),
        ...tail,
      ];
    case 'blame':
      return ['blame', '--no-textconv', '--date=short', ...revision, ...tail];
  }
}
