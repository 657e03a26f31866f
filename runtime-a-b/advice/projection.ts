/**
 * What a task changed, from Git alone: commits since it was dispatched, what is not committed, and files that Git does not
 * track. Where a change was there before the task began cannot always be told; then it says so instead of guessing.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretPath, runGit } from '../roots/index.ts';
import { FILES_MAX, GIT_BYTES, GIT_MS, REFLOG_MAX } from './limits.ts';

export interface ChangedFile {
  path: string;
  /** `committed` since the base, `uncommitted`, `untracked`, or both of the first two. */
  how: readonly ('committed' | 'uncommitted' | 'untracked')[];
  /** Written since the task began, by the file's own time; null for what is gone or was not looked at. */
  since_dispatch: boolean | null;
}

export interface Projection {
  root: string;
  since_ms: number | null;
  head: string | null;
  /** The commit that was checked out when the task began; null when Git does not remember. */
  base: string | null;
  base_known: boolean;
  commits: number | null;
  changed_files: ChangedFile[];
  /** How many there are; more than are listed when `truncated`. */
  total_files: number;
  truncated: boolean;
  /** Files with names that look like secrets: counted, not named. */
  hidden_files: number;
  /** Questions that Git did not answer in time; what they would have said is unknown. */
  unknown: string[];
}

type Git = (args: readonly string[]) => Promise<string | undefined>;

/** Never rejects for what Git says; `unknown` names what it did not. */
export async function projectChanges(
  root: string,
  sinceMs: number | undefined,
  baseCommit: string | undefined,
  signal: AbortSignal,
): Promise<Projection> {
  const unknown: string[] = [];
  const git = async (name: string, args: readonly string[]): Promise<string | undefined> => {
    const result = await runGit(args, { cwd: root, timeoutMs: GIT_MS, maxBytes: GIT_BYTES, signal });
    if (result.code === 0 && !result.truncated) return result.stdout.toString('utf8');
    unknown.push(name);
    return undefined;
  };
  const head = (await git('head', ['rev-parse', '--verify', 'HEAD']))?.trim() ?? null;
  const base = baseCommit ?? (sinceMs === undefined ? undefined : await headAt(sinceMs, (args) => git('reflog', args)));
  const [status, committed, commits] = await Promise.all([
    git('status', ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--ignore-submodules=dirty']),
    base && head && base !== head ? git('diff', ['diff', '--name-only', '-z', '--no-renames', base, head, '--']) : '',
    base && head ? git('log', ['rev-list', '--count', `${base}..${head}`]) : undefined,
  ]);
  const how = new Map<string, Set<'committed' | 'uncommitted' | 'untracked'>>();
  const note = (path: string, kind: 'committed' | 'uncommitted' | 'untracked') => {
    if (path !== '') how.set(path, (how.get(path) ?? new Set()).add(kind));
  };
  for (const path of (committed ?? '').split('\0')) note(path, 'committed');
  for (const { code, path } of statusEntries(status ?? '')) note(path, code === '??' ? 'untracked' : 'uncommitted');
  const named = [...how.keys()].filter((path) => !isSecretPath(path));
  const listed = named.slice(0, FILES_MAX);
  return {
    root,
    since_ms: sinceMs ?? null,
    head,
    base: base ?? null,
    base_known: base !== undefined,
    commits: commits === undefined ? null : Number(commits),
    changed_files: await Promise.all(
      listed.map(async (path) => ({
        path,
        how: [...(how.get(path) ?? [])],
        since_dispatch: sinceMs === undefined ? null : await writtenSince(join(root, path), sinceMs),
      })),
    ),
    total_files: named.length,
    truncated: named.length > listed.length,
    hidden_files: how.size - named.length,
    unknown,
  };
}

/** Where HEAD stood at a moment, by the checkout's own reflog; undefined when it does not reach back so far. */
async function headAt(atMs: number, git: Git): Promise<string | undefined> {
  const log = await git(['log', '-g', `-n${REFLOG_MAX}`, '--date=unix', '--format=%H%x09%gd', 'HEAD']);
  if (log === undefined) return undefined;
  return entryBefore(log, Math.floor(atMs / 1000));
}

/** The newest entry that is not younger than the moment. Lines `<commit>\tHEAD@{<seconds>}`, newest first. Pure. */
export function entryBefore(log: string, atS: number): string | undefined {
  for (const line of log.split('\n')) {
    const [commit, at] = line.split('\t');
    const seconds = Number(/@\{(\d+)\}/.exec(at ?? '')?.[1] ?? Number.NaN);
    if (commit && seconds <= atS) return commit;
  }
  return undefined;
}

/** Records of `--porcelain=v1 -z`; the second path of a rename is its old name. Pure. */
export function statusEntries(output: string): { code: string; path: string }[] {
  const entries: { code: string; path: string }[] = [];
  const records = output.split('\0');
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    if (record.length < 4) continue;
    const code = record.slice(0, 2);
    entries.push({ code, path: record.slice(3) });
    if (code.includes('R') || code.includes('C')) at += 1;
  }
  return entries;
}

async function writtenSince(path: string, sinceMs: number): Promise<boolean | null> {
  try {
    return (await lstat(path)).mtimeMs >= sinceMs;
  } catch {
    // Deleted, or a name that cannot be looked at: nothing is known of when.
    return null;
  }
}
