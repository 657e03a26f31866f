/**
 * Git facts for `herdr_inspect`: hints with the time at which they were seen, never the truth (that is `herdr_git`).
 * A root is looked at again only when something says that it may have changed: its index or HEAD, or an agent that worked
 * in it since. So an inspect of a workstation at rest starts no process.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../local/spawn/index.ts';
import { GIT_HINT_BYTES, GIT_HINT_MS, GIT_HINT_PARALLEL, GIT_HINTS_MAX } from '../../limits.ts';

export interface GitHint {
  /** null where Git could not say. */
  dirty: boolean | null;
  changed_files: number | null;
  branch: string | null;
  observed_at_ms: number;
}

interface Known {
  hint: GitHint;
  stamp: string;
  /** What else may have changed the root: see {@link GitHints.of}. */
  activity: string;
}

export class GitHints {
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  readonly #nowMs: () => number;
  #running = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /**
   * What is known of these roots; `activity` is any text that differs once something may have changed there. Waits at most `patienceMs` for those that have to be looked at; late ones
   * come next time.
   */
  async of(
    roots: readonly { path: string; activity: string }[],
    patienceMs: number,
  ): Promise<ReadonlyMap<string, GitHint>> {
    const late = Promise.all(roots.map((root) => this.#freshen(root.path, root.activity)));
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([late, limit]);
    clearTimeout(timer);
    const found = new Map<string, GitHint>();
    for (const { path } of roots) {
      const known = this.#known.get(path);
      if (known) found.set(path, known.hint);
    }
    return found;
  }

  async #freshen(root: string, activity: string): Promise<void> {
    const known = this.#known.get(root);
    const stamp = await stampOf(root);
    if (known && known.stamp === stamp && known.activity === activity) return;
    const asked = this.#asked.get(root) ?? this.#look(root, stamp, activity).finally(() => this.#asked.delete(root));
    this.#asked.set(root, asked);
    await asked;
  }

  async #look(root: string, stamp: string, activity: string): Promise<void> {
    await this.#turn();
    try {
      const at = this.#nowMs();
      const hint = await askGit(root, at);
      if (this.#known.size >= GIT_HINTS_MAX) this.#known.clear();
      this.#known.set(root, { hint, stamp, activity });
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= GIT_HINT_PARALLEL) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
  }
}

/** Changes with the index and with HEAD; a linked worktree keeps them elsewhere, then the file `.git` itself stands for both. */
async function stampOf(root: string): Promise<string> {
  const parts = await Promise.all(
    ['.git/index', '.git/HEAD', '.git'].map((name) =>
      stat(join(root, name)).then(
        (stats) => `${stats.mtimeMs}:${stats.ino}`,
        () => '-',
      ),
    ),
  );
  return parts.slice(0, 2).some((part) => part !== '-') ? parts.slice(0, 2).join(' ') : parts.join(' ');
}

/** One `git status`, which takes no lock. Never rejects: what Git cannot say is null. */
async function askGit(root: string, at: number): Promise<GitHint> {
  const unknown: GitHint = { dirty: null, changed_files: null, branch: null, observed_at_ms: at };
  const args = ['--no-optional-locks', '-C', root, 'status', '--porcelain=v2', '--branch', '-z'];
  const result = await run('git', args, { timeoutMs: GIT_HINT_MS, maxBytes: GIT_HINT_BYTES }).catch(() => undefined);
  if (result === undefined) return unknown;
  return readStatus(result, at) ?? unknown;
}

/** Counts the entries of `git status --porcelain=v2 --branch -z`. Undefined when the answer is no whole one. */
export function readStatus(result: Awaited<ReturnType<typeof run>>, at: number): GitHint | undefined {
  if (result.code !== 0 || result.truncated) return undefined;
  let branch: string | null = null;
  let changed = 0;
  const fields = result.stdout.toString('utf8').split('\0');
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? '';
    if (field.startsWith('# branch.head ')) branch = field.slice('# branch.head '.length);
    else if (field.startsWith('2 ')) {
      changed += 1;
      i += 1; // a rename carries its old name in a field of its own
    } else if (/^[1u?] /.test(field)) changed += 1;
  }
  return { dirty: changed > 0, changed_files: changed, branch, observed_at_ms: at };
}
