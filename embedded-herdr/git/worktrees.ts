import { realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** Runs git in a directory and never throws: that git is missing is an outcome too. */
export type Git = (cwd: string, args: readonly string[]) => Promise<GitOutcome>;

export interface GitOutcome {
  ok: boolean;
  stdout: string;
  stderr: string;
}

/** One entry of `git worktree list --porcelain -z`. */
export interface Checkout {
  path: string;
  branch: string | undefined;
  isBare: boolean;
  isDetached: boolean;
  isPrunable: boolean;
  isLinked: boolean;
}

export interface Repository {
  /** The canonical common git directory: the same for every checkout of a family. */
  key: string;
  name: string;
  /** The main checkout, or the bare repository itself. */
  root: string;
  /** The checkout that was asked from. */
  checkout: string;
  checkouts: Checkout[];
}

/** Reads git's NUL-separated list. The first entry is the main checkout. */
export function parseWorktrees(text: string): Checkout[] {
  return text
    .split('\0\0')
    .filter((entry) => entry.replaceAll('\0', '') !== '')
    .map((entry, index) => {
      const fields = new Map(
        entry
          .split('\0')
          .filter((line) => line !== '')
          .map((line): [string, string] => {
            const space = line.indexOf(' ');
            return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
          }),
      );
      return {
        path: fields.get('worktree') ?? '',
        branch: fields.get('branch')?.replace(/^refs\/heads\//, ''),
        isBare: fields.has('bare'),
        isDetached: fields.has('detached'),
        isPrunable: fields.has('prunable'),
        isLinked: index > 0,
      };
    });
}

const canonical = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** The repository around a directory; `none` when there is none, an error text when git failed otherwise. */
export async function repositoryAt(
  git: Git,
  directory: string,
): Promise<{ kind: 'found'; repository: Repository } | { kind: 'none' } | { kind: 'failed'; why: string }> {
  const places = await git(directory, ['rev-parse', '--git-common-dir', '--is-bare-repository']);
  if (!places.ok) {
    return /not a git repository/i.test(places.stderr)
      ? { kind: 'none' }
      : { kind: 'failed', why: places.stderr.trim() };
  }
  const [common = ''] = places.stdout.split('\n');
  const key = canonical(resolve(directory, common));
  const list = await git(directory, ['worktree', 'list', '--porcelain', '-z']);
  if (!list.ok) return { kind: 'failed', why: list.stderr.trim() };
  const checkouts = parseWorktrees(list.stdout);
  const top = await git(directory, ['rev-parse', '--show-toplevel']);
  const root = checkouts[0]?.path ?? dirname(key);
  return {
    kind: 'found',
    repository: {
      key,
      root,
      name: basename(root).replace(/\.git$/, ''),
      checkout: top.ok ? top.stdout.trimEnd() : root,
      checkouts,
    },
  };
}

/** A branch as a folder's name. */
export const branchSlug = (branch: string): string =>
  branch.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'worktree';

const ADJECTIVES = 'brisk calm clear eager fair gentle keen light mellow neat quick quiet swift tidy warm wise'.split(
  ' ',
);
const NOUNS =
  'brook cedar cloud delta ember field grove harbor heron lagoon maple meadow otter river stone willow'.split(' ');

/** A name for a branch that nobody named: `worktree/<adjective>-<noun>-<hex>`. Eight hex digits choose all of it. */
export function generatedBranch(hex: string): string {
  const number = Number.parseInt(hex.slice(0, 8), 16);
  const adjective = ADJECTIVES[number % ADJECTIVES.length];
  const noun = NOUNS[Math.floor(number / ADJECTIVES.length) % NOUNS.length];
  return `worktree/${adjective}-${noun}-${hex.slice(0, 6)}`;
}
