/**
 * `herdr_fs_grep`: ripgrep over a directory of a root. An answer without matches means that everything was searched;
 * whatever was left out is an error instead (reference: runtime 15, lessons 10 and 11).
 */
import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutcomeError } from '../../../contract/outcome.ts';
import { systemCode } from '../../../local/error/index.ts';
import { type RunResult, run } from '../../../local/spawn/index.ts';
import { folderPath, isSecretPath, openFolderInside, type Resolved } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { fittingItems, roomFor } from '../fit.ts';
import { rootFacts, throwIfCancelled } from './common.ts';
import { globMatcher } from './glob.ts';
import { type Hit, parseHits } from './grep-output.ts';
import { firstLines, judgeSearch } from './grep-verdict.ts';
import { GREP_COMPACT_ABOVE, GREP_FILE_BYTES, GREP_MATCHES, GREP_MS, GREP_OUTPUT_BYTES } from './limits.ts';

interface Query {
  root: string;
  pattern: string;
  regex?: boolean;
  case_insensitive?: boolean;
  glob?: string;
  max_matches?: number;
  max_bytes?: number;
}

export const fsGrep: ToolHandler = async (args, context) => {
  const query = args as unknown as Query;
  if (/[\n\r\0]/.test(query.pattern) && query.regex !== true)
    throw badPattern('holds a line break or a NUL; lines are searched one by one');
  const folder = await context.roots.existing(context.live.view(), query.root, 'directory');
  const startedAtMs = context.nowMs();
  const result = await search(folder, query, context.signal);
  throwIfCancelled(context.signal);
  const elapsedMs = context.nowMs() - startedAtMs;
  if (result.timedOut) throw timedOut(folder, elapsedMs);
  const found = bounded(select(parseHits(result.stdout, result.truncated), folder, query, context.roots.isProtected));
  complain(result, found, folder, query);
  return {
    ok: true,
    body: {
      ...rootFacts(folder.root),
      ...(folder.relative === '' ? {} : { path: folder.path }),
      count: found.hits.length,
      truncated: found.truncated,
      ...(found.truncated ? { next: 'Narrow pattern or glob, or raise max_matches.' } : {}),
      engine: 'rg',
      started_at: new Date(startedAtMs).toISOString(),
      phase: 'completed',
      progress: { matches: found.hits.length, files: found.files, elapsed_ms: elapsedMs },
      ...(found.larger.length === 0 ? {} : { skipped_larger: found.larger }),
      ...(result.code === 2 ? { skipped: firstLines(result.stderr.toString('utf8')) } : {}),
      ...shape(found),
    },
  };
};

/** The glob becomes an ignore file of lowest rank: given as `--glob` it would switch `.gitignore` off for what matches. */
async function search(folder: Resolved, query: Query, signal: AbortSignal): Promise<RunResult> {
  const { fd } = openFolderInside(folder);
  let ignore: string | undefined;
  try {
    if (query.glob !== undefined && !query.glob.startsWith('!')) ignore = writeIgnoreFile(query.glob);
    const { rgPath } = await import('@vscode/ripgrep');
    return await run(rgPath, rgArguments(folder, query, ignore), {
      // The folder that was checked, whatever its name leads to by now.
      cwd: folderPath({ fd, path: folder.path }),
      timeoutMs: GREP_MS,
      maxBytes: GREP_OUTPUT_BYTES,
      endAtMaxBytes: true,
      signal,
    });
  } finally {
    closeSync(fd);
    if (ignore !== undefined) rmSync(ignore, { force: true });
  }
}

export function rgArguments(folder: Pick<Resolved, 'root'>, query: Query, ignoreFile: string | undefined): string[] {
  const maxMatches = query.max_matches ?? GREP_MATCHES;
  return [
    '--no-config',
    '--json',
    '--hidden',
    '--no-require-git',
    '--sort=none',
    '--glob=!.git',
    ...(query.glob?.startsWith('!') ? [`--glob=${query.glob}`] : []),
    ...(ignoreFile === undefined ? [] : [`--ignore-file=${ignoreFile}`]),
    // On macOS Git's own files of a linked worktree may lie in a protected folder, where reading hangs.
    ...(process.platform === 'darwin' && folder.root.kind === 'git' ? ['--no-ignore-exclude'] : []),
    ...(query.regex === true ? [] : ['--fixed-strings']),
    ...(query.case_insensitive === true ? ['--ignore-case'] : ['--case-sensitive']),
    // One more than can be shown, so that a cut is noticed.
    `--max-count=${maxMatches + 1}`,
    '--regexp',
    query.pattern,
    '--',
    './',
  ];
}

function writeIgnoreFile(glob: string): string {
  if (/[\n\r\0]/.test(glob)) throw badPattern('has a line break in its glob');
  const path = join(tmpdir(), `hm-grep-${randomBytes(8).toString('hex')}.ignore`);
  const escaped = glob.replace(/^#/, '\\#').replace(/ $/, '\\ ');
  writeFileSync(path, `*\n!*/\n!${escaped}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

interface Found {
  hits: Hit[];
  files: number;
  truncated: boolean;
  /** Matching files above the size limit. */
  larger: { file: string; bytes: number }[];
}

/** Takes out what must not be shown: secrets, protected folders, files that are too large, names that the glob does not mean. */
function select(
  parsed: { hits: Hit[]; cut: boolean },
  folder: Resolved,
  query: Query,
  isProtected: (path: string) => boolean,
): Found {
  const max = query.max_matches ?? GREP_MATCHES;
  const maxBytes = query.max_bytes ?? GREP_FILE_BYTES;
  const wanted = query.glob === undefined || query.glob.startsWith('!') ? () => true : globMatcher(query.glob);
  const prefix = folder.relative === '' ? '' : `${folder.relative}/`;
  const verdicts = new Map<string, boolean>();
  const larger: Found['larger'] = [];
  const judge = (file: string): boolean => {
    const path = join(folder.path, file);
    if (isSecretPath(prefix + file) || isProtected(path) || !wanted(file) || !isWhereItSeems(join(folder.path, file)))
      return false;
    const bytes = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes <= maxBytes) return true;
    larger.push({ file, bytes });
    return false;
  };
  const hits: Hit[] = [];
  for (const hit of parsed.hits) {
    let allowed = verdicts.get(hit.file);
    if (allowed === undefined) {
      allowed = judge(hit.file);
      verdicts.set(hit.file, allowed);
    }
    if (!allowed) continue;
    if (hits.length === max) return { hits: sorted(hits), files: countFiles(hits), truncated: true, larger };
    hits.push(hit);
  }
  return { hits: sorted(hits), files: countFiles(hits), truncated: parsed.cut, larger };
}

/** As many matches as an answer holds. */
function bounded(found: Found): Found {
  const hits = fittingItems(found.hits, roomFor());
  if (hits.length === found.hits.length) return found;
  return { ...found, hits, files: countFiles(hits), truncated: true };
}

/** A folder on the way that became a symlink while the search ran leads elsewhere. A name that is no UTF-8 cannot be asked. */
function isWhereItSeems(path: string): boolean {
  try {
    return realpathSync.native(path) === path;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return path.includes('\ufffd');
    throw error;
  }
}

/** Files are searched side by side; their order is the reader's. */
const sorted = (hits: Hit[]) => hits.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));

const countFiles = (hits: readonly Hit[]) => new Set(hits.map((hit) => hit.file)).size;

function complain(result: RunResult, found: Found, folder: Resolved, query: Query): void {
  const verdict = judgeSearch({
    code: result.code,
    stderr: result.stderr.toString('utf8'),
    shown: found.hits.length,
    larger: found.larger,
    maxBytes: query.max_bytes ?? GREP_FILE_BYTES,
    cut: result.truncated,
  });
  if (verdict === 'complete') return;
  if ('badPattern' in verdict) throw badPattern(`is no regular expression that ripgrep reads: ${verdict.badPattern}`);
  throw new OutcomeError(
    'grep_incomplete',
    `Nothing can be shown, but not everything in ${folder.asked} was searched: ${verdict.incomplete}.`,
    {
      next: 'Narrow root or glob, or raise max_bytes, and search again.',
      ...(found.larger.length === 0 ? {} : { details: { skipped_larger: found.larger } }),
    },
  );
}

function shape(found: Found): Record<string, unknown> {
  const { hits, truncated } = found;
  if (hits.length <= GREP_COMPACT_ABOVE || truncated) return { matches: hits };
  const byFile = new Map<string, string[]>();
  for (const { file, line, content } of hits) {
    const own = byFile.get(file) ?? [file];
    own.push(`${line}:${content}`);
    byFile.set(file, own);
  }
  const text = [...byFile.values()].map((lines) => lines.join('\n'));
  return { compacted: true, counts: { files: byFile.size, matches: hits.length }, matches: text.join('\n\n') };
}

function badPattern(what: string): OutcomeError {
  return new OutcomeError('invalid_params', `The pattern ${what}; nothing was searched.`, {
    next: 'Correct the pattern, or leave regex out to search for plain text.',
  });
}

function timedOut(folder: Resolved, elapsedMs: number): OutcomeError {
  return new OutcomeError(
    'grep_timeout',
    `The search of ${folder.asked} did not end within ${GREP_MS / 1000} s and was ended.`,
    {
      next: 'Narrow it with a deeper root or a glob.',
      details: { elapsed_ms: elapsedMs },
    },
  );
}
