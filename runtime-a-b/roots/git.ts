/**
 * Asking Git: no lock, no pager, no prompt, no program that a repository's configuration names, and nothing of our own
 * environment that would point it at another repository.
 */
import { type RunResult, run } from '../../local/spawn/index.ts';

/** Variables by which a surrounding Git (a hook, for example) redirects every Git below it. */
const GIT_ENV_SCRUBBED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_CEILING_DIRECTORIES',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIFF_OPTS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
  'GIT_TRACE',
  'GIT_CONFIG_PARAMETERS',
] as const;

function gitEnv(base: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = { ...base };
  for (const name of GIT_ENV_SCRUBBED) delete env[name];
  return {
    ...env,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    LC_ALL: 'C',
  };
}

export interface GitOptions {
  cwd: string;
  timeoutMs: number;
  maxBytes: number;
  /** Ends Git once more than `maxBytes` came. */
  endAtMaxBytes?: boolean;
  signal?: AbortSignal;
}

/** Runs `git` with these arguments in a folder. Rejects only when Git could not be started at all. */
export function runGit(args: readonly string[], options: GitOptions): Promise<RunResult> {
  const { cwd, timeoutMs, maxBytes, endAtMaxBytes, signal } = options;
  return run(
    'git',
    [
      '--no-optional-locks',
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.quotePath=false',
      '-c',
      'color.ui=false',
      ...args,
    ],
    {
      cwd,
      env: gitEnv(process.env),
      timeoutMs,
      maxBytes,
      ...(endAtMaxBytes === undefined ? {} : { endAtMaxBytes }),
      ...(signal === undefined ? {} : { signal }),
    },
  );
}
