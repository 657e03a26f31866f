/** Whether a rebase, merge or the like is under way, from the files that Git leaves for it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';

export interface Operation {
  kind: 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';
  /** For a rebase: which step of how many. */
  step?: number;
  of?: number;
}

/** Several can be under way at once (a cherry-pick inside a bisect). Empty when none is, or when nobody can tell. */
export function operationsUnderWay(repository: string, bare: boolean): Operation[] {
  const folder = bare ? repository : gitFolder(repository);
  if (folder === undefined) return [];
  const has = (name: string) => existsSync(posix.join(folder, name));
  const found: Operation[] = [];
  if (has('rebase-merge'))
    found.push({ kind: 'rebase', ...progress(folder, 'rebase-merge/msgnum', 'rebase-merge/end') });
  if (has('rebase-apply')) {
    const kind = has('rebase-apply/applying') ? 'am' : 'rebase';
    found.push({ kind, ...progress(folder, 'rebase-apply/next', 'rebase-apply/last') });
  }
  if (has('MERGE_HEAD')) found.push({ kind: 'merge' });
  if (has('CHERRY_PICK_HEAD') && !has('rebase-merge')) found.push({ kind: 'cherry-pick' });
  if (has('REVERT_HEAD')) found.push({ kind: 'revert' });
  if (has('BISECT_LOG')) found.push({ kind: 'bisect' });
  return found;
}

/** Where Git keeps this checkout's own state: `.git`, or where a `.git` file leads. */
function gitFolder(repository: string): string | undefined {
  const dotGit = posix.join(repository, '.git');
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return stats && dotGit;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1];
  return target === undefined ? undefined : posix.resolve(repository, target);
}

function progress(folder: string, step: string, of: string): { step?: number; of?: number } {
  const [at, last] = [step, of].map((name) => {
    const path = posix.join(folder, name);
    return existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : Number.NaN;
  });
  return at !== undefined && last !== undefined && Number.isInteger(at) && Number.isInteger(last)
    ? { step: at, of: last }
    : {};
}
