/** What makes a file one that is not its owner's alone. Pure, so that files and databases are judged by one rule. */
import type { Stats } from 'node:fs';

/** Why an open file is not trusted, as the end of a sentence that begins with its path; undefined when it is. */
export function privateFileTrouble(stats: Pick<Stats, 'isFile' | 'uid' | 'mode'>): string | undefined {
  if (!stats.isFile()) return 'is no plain file';
  if (process.getuid && stats.uid !== process.getuid()) return 'belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'can be read by other users';
}
