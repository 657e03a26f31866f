/** `herdr_git`: Git's facts about a root. It reads only, and never takes the index lock. */
import { statSync } from 'node:fs';
import { posix } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { LocalError } from '../../../local/error/index.ts';
import type { RunResult } from '../../../local/spawn/index.ts';
import {
  below,
  isSecretPath,
  isWithin,
  normalAbsolute,
  outsideRoots,
  type Root,
  runGit,
  secretPath,
} from '../../roots/index.ts';
import type { ToolContext, ToolHandler } from '../context.ts';
import { fittingPage, roomFor } from '../fit.ts';
import { ABSENT, isAbsent } from './absent.ts';
import { type GitAction, type GitQuestion, gitArguments } from './commands.ts';
import { hideSecretSections } from './hide.ts';
import { GIT_MS, GIT_OUTPUT_BYTES, GIT_PAGE_BYTES, STDERR_CHARS } from './limits.ts';
import { emptinessOf, noCommits } from './no-commits.ts';
import { operationsUnderWay } from './operation.ts';
import { readRevision } from './revision.ts';
import { slice } from './slice.ts';
import { countStatus, parseStatus, renderStatus } from './status.ts';
import { describeUntracked } from './untracked.ts';

interface GitArgs {
  root: string;
  action: GitAction;
  path?: string;
  staged?: boolean;
  rev?: string;
  max_count?: number;
  max_bytes?: number;
  offset?: number;
}

/** A repository inside a root: the root itself, or a submodule or worktree below it. */
interface Repository {
  path: string;
  root: Root;
  /** From the root to the repository; empty for the root itself. */
  prefix: string;
  bare: boolean;
}

export const herdrGit: ToolHandler = async (args, context) => {
  const asked = args as unknown as GitArgs;
  const repository = await findRepository(context, asked.root);
  const question = await checkQuestion(asked, repository, context);
  const secret = (path: string) => isSecretPath(repository.prefix === '' ? path : `${repository.prefix}/${path}`);
  const wantsUntracked =
    question.action === 'diff' && question.staged !== true && question.rev === undefined && !repository.bare;
  const [result, untracked] = await Promise.all([
    ask(repository, gitArguments(question), context.signal),
    wantsUntracked
      ? describeUntracked(repository.path, question.path === undefined ? [] : [question.path], secret, context.signal)
      : undefined,
  ]);
  await judge(result, question, repository, context.signal);
  const { bytes, facts } = present(result, question, repository, secret);
  const saysNothing = question.action === 'status' ? facts.clean === true : bytes.length === 0;
  const absent = saysNothing && (await isAbsent(repository.path, question, context.signal));
  const most = asked.max_bytes ?? GIT_PAGE_BYTES;
  const page = fittingPage((max) => slice(bytes, asked.offset ?? 0, max), most, roomFor(most));
  return {
    ok: true,
    body: {
      root: repository.path,
      ...(repository.root.stale ? { root_stale: true } : {}),
      action: asked.action,
      exit_code: result.code,
      ...facts,
      ...(absent ? ABSENT : {}),
      truncated: page.nextOffset !== null || result.truncated,
      ...(page.offset === 0 ? {} : { offset: page.offset }),
      next_offset: page.nextOffset,
      output_bytes: bytes.length,
      ...(result.truncated
        ? {
            output_cut: `Git printed more than ${GIT_OUTPUT_BYTES} bytes; the rest is not kept. Narrow it with path or rev.`,
          }
        : {}),
      output: page.text,
      ...(untracked === undefined
        ? {}
        : { untracked: untracked.files, ...(untracked.truncated ? { untracked_truncated: true } : {}) }),
    },
  };
};

async function findRepository(context: ToolContext, path: string): Promise<Repository> {
  const view = context.live.view();
  try {
    const root = await context.roots.exact(view, path);
    if (root.kind === 'git') return { path: root.path, root, prefix: '', bare: root.bare };
    throw new OutcomeError('not_a_git_repo', `${root.path} is not under version control.`, {
      next: 'Use the file tools or herdr_exec there.',
    });
  } catch (error) {
    if (!(error instanceof OutcomeError) || error.code !== 'root_not_project_root') throw error;
    const folder = await context.roots.existing(view, path, 'directory');
    const dotGit = statSync(posix.join(folder.path, '.git'), { throwIfNoEntry: false });
    if (dotGit === undefined || folder.root.kind !== 'git') throw error;
    return { path: folder.path, root: folder.root, prefix: folder.relative, bare: false };
  }
}

/** Checks path and revision before Git sees them. */
async function checkQuestion(asked: GitArgs, repository: Repository, context: ToolContext): Promise<GitQuestion> {
  const { action, staged, rev, max_count } = asked;
  const question: GitQuestion = { action };
  if (asked.path !== undefined) question.path = await insidePath(asked.path, repository, context);
  else if (action === 'blame') throw invalid('blame needs a path');
  if (staged !== undefined) question.staged = staged;
  if (max_count !== undefined) question.maxCount = max_count;
  if (repository.bare && (action === 'status' || (action === 'diff' && rev === undefined))) {
    throw new OutcomeError(
      'git_failed',
      `${repository.path} is a bare repository: it has no working tree for ${action}.`,
      {
        next: 'Use log, show or diff with rev.',
      },
    );
  }
  if (rev === undefined || action === 'status') return question;
  const revision = readRevision(rev, action);
  if ('bad' in revision) throw invalid(`The revision ${JSON.stringify(rev)} ${revision.bad}`);
  if (revision.path !== undefined) {
    const path = posix.normalize(revision.path).replace(/^\.\//, '');
    if (isSecretPath(repository.prefix === '' ? path : `${repository.prefix}/${path}`)) throw secretPath(rev);
  } else if (action === 'show' && !rev.includes('..')) await refuseBlob(repository, rev, context.signal);
  question.rev = rev;
  return question;
}

/** By text only: the file may exist in history alone, and Git itself follows no symlink. */
async function insidePath(path: string, repository: Repository, context: ToolContext): Promise<string> {
  if (path.includes('\0')) throw invalid('path holds a NUL');
  const absolute = normalAbsolute(path.startsWith('/') ? path : posix.join(repository.path, path)) ?? '/';
  const bases = [
    repository.path,
    ...repository.root.spellings.map((spelling) => posix.join(spelling, repository.prefix)),
  ];
  const base = bases.map((each) => each.replace(/(.)\/$/, '$1')).find((each) => isWithin(each, absolute));
  if (base === undefined) throw outsideRoots(absolute, await context.roots.table(context.live.view()));
  const relative = below(base, absolute);
  if (isSecretPath(repository.prefix === '' ? relative : `${repository.prefix}/${relative}`))
    throw secretPath(absolute);
  return relative === '' ? '.' : relative;
}

/** A bare object id could name the content of a secret file without its name. */
async function refuseBlob(repository: Repository, rev: string, signal: AbortSignal): Promise<void> {
  const result = await runGit(['cat-file', '-t', rev], {
    cwd: repository.path,
    timeoutMs: GIT_MS,
    maxBytes: STDERR_CHARS,
    signal,
  });
  if (result.stdout.toString('utf8').trim() === 'blob')
    throw invalid(`${JSON.stringify(rev)} names a file's content without its name; give rev as revision:path`);
}

async function ask(repository: Repository, args: readonly string[], signal: AbortSignal): Promise<RunResult> {
  try {
    const { path: cwd } = repository;
    return await runGit(args, { cwd, timeoutMs: GIT_MS, maxBytes: GIT_OUTPUT_BYTES, endAtMaxBytes: true, signal });
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new OutcomeError(error.code === 'cwd_missing' ? 'not_found' : 'git_failed', error.message, {
      next: error.code === 'cwd_missing' ? 'Look with herdr_inspect which roots there are now.' : error.next,
      cause: error,
    });
  }
}

async function judge(
  result: RunResult,
  question: GitQuestion,
  repository: Repository,
  signal: AbortSignal,
): Promise<void> {
  if (result.aborted) {
    throw new OutcomeError('cancelled', 'The call was cancelled; nothing was changed.', {
      next: 'Call again if the answer is still wanted.',
      delivery: 'delivered',
    });
  }
  if (result.timedOut) {
    throw new OutcomeError(
      'git_timeout',
      `git ${question.action} in ${repository.path} did not end within ${GIT_MS / 1000} s and was ended.`,
      {
        next: 'Narrow it with path or rev, or run it with herdr_exec_start.',
      },
    );
  }
  if (result.code === 0 || result.truncated) return;
  const stderr = result.stderr.toString('utf8').trim().slice(0, STDERR_CHARS);
  const facts = { action: question.action, exit_code: result.code, stderr };
  const empty = await emptinessOf(repository.path, signal);
  // A branch without commits explains only what was asked of it; a named revision failed for a reason of its own.
  if (empty === 'repository' || (empty === 'branch' && (question.rev ?? 'HEAD') === 'HEAD')) {
    if (question.action === 'log') return;
    throw noCommits(repository.path, question, empty, facts);
  }
  throw new OutcomeError('git_failed', `git ${question.action} failed: ${stderr || `exit code ${result.code}`}`, {
    next: 'Correct rev or path; herdr_git log lists revisions.',
    details: facts,
  });
}

/** Git's bytes as an answer shows them. */
function present(
  result: RunResult,
  question: GitQuestion,
  repository: Repository,
  secret: (path: string) => boolean,
): { bytes: Buffer; facts: Record<string, unknown> } {
  if (question.action === 'status') {
    const whole = result.truncated ? result.stdout.subarray(0, result.stdout.lastIndexOf(0) + 1) : result.stdout;
    const facts = parseStatus(whole.toString('utf8'));
    const shown = facts.entries.filter(
      (entry) => !secret(entry.path) && (entry.from === undefined || !secret(entry.from)),
    );
    const hidden = facts.entries.length - shown.length;
    const under = operationsUnderWay(repository.path, repository.bare);
    return {
      bytes: Buffer.from(renderStatus({ ...facts, entries: shown })),
      facts: {
        branch: facts.branch,
        counts: countStatus(facts),
        clean: facts.entries.length === 0,
        ...(facts.stashes === undefined ? {} : { stashes: facts.stashes }),
        ...(under.length === 0 ? {} : { under_way: under }),
        ...(hidden === 0 ? {} : { hidden_secret_files: hidden }),
      },
    };
  }
  if (question.action === 'log') return { bytes: result.stdout, facts: result.code === 0 ? {} : { no_commits: true } };
  if (question.action === 'blame' || isFileContent(question)) {
    if (result.stdout.subarray(0, 8_000).includes(0)) {
      throw new OutcomeError('binary_file', `${question.path ?? question.rev} is a binary file, not text.`, {
        next: 'Extract it with git show through herdr_exec, and look at it with herdr_fs_image or xxd.',
      });
    }
    return { bytes: result.stdout, facts: {} };
  }
  const { output, hidden } = hideSecretSections(result.stdout.toString('latin1'), secret);
  return { bytes: Buffer.from(output, 'latin1'), facts: hidden === 0 ? {} : { hidden_secret_files: hidden } };
}

function isFileContent(question: GitQuestion): boolean {
  if (question.action !== 'show' || question.rev === undefined) return false;
  const revision = readRevision(question.rev, 'show');
  return 'path' in revision && revision.path !== undefined;
}

function invalid(what: string): OutcomeError {
  return new OutcomeError('invalid_params', `${what}; nothing was read.`, {
    next: 'Correct the arguments and call again.',
  });
}
