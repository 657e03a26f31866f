/** Where the skill lies, and whose it is: a folder that we did not write is never touched. */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LocalError, systemCode } from '../../../local/error/index.ts';
import { readPrivateFile, writeAtomic } from '../../../local/files/index.ts';
import { SKILL_NAME, SKILL_TEXT } from './text.ts';

const FILE = 'SKILL.md';
/** Beside the text: digests of every text that we wrote there, so that somebody's own changes are noticed. */
const MARK = '.herdr-mcp';

export type SkillState =
  | { state: 'absent'; path: string }
  | { state: 'current' | 'outdated'; path: string }
  /** Somebody else's folder, or ours with somebody's changes in it. */
  | { state: 'foreign'; path: string; why: string };

export const skillFolder = (env: NodeJS.ProcessEnv): string =>
  join(env['HOME'] || homedir(), '.agents', 'skills', SKILL_NAME);

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

const digests = (mark: Buffer | undefined): string[] =>
  (mark?.toString('utf8') ?? '').split('\n').filter((line) => line !== '');

export async function skillState(path: string): Promise<SkillState> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) return { state: 'absent', path };
  if (!found.isDirectory()) return { state: 'foreign', path, why: 'is no folder' };
  const names = (await readdir(path)).sort();
  if (names.length === 0) return { state: 'absent', path };
  const strange = names.find((name) => name !== FILE && name !== MARK);
  if (strange !== undefined) return { state: 'foreign', path, why: `holds ${JSON.stringify(strange)}` };
  const [text, mark] = await Promise.all([readPrivateFile(join(path, FILE)), readPrivateFile(join(path, MARK))]);
  if (!mark) return { state: 'foreign', path, why: 'was not written by herdr-mcp' };
  if (text && !digests(mark).includes(digest(text))) {
    return { state: 'foreign', path, why: 'was changed since herdr-mcp wrote it' };
  }
  return { state: text?.toString('utf8') === SKILL_TEXT ? 'current' : 'outdated', path };
}

/** Writes or renews it. Throws a `LocalError` for a folder that is not ours; it is left as it is. */
export async function installSkill(path: string): Promise<'written' | 'unchanged'> {
  const now = await skillState(path);
  if (now.state === 'current') return 'unchanged';
  if (now.state === 'foreign') throw foreign(now);
  await mkdir(path, { recursive: true });
  // The mark first, with the old digest still in it: whatever is cut short, the text is known to be ours.
  const known = digests(await readPrivateFile(join(path, MARK)));
  await writeAtomic(join(path, MARK), `${[...new Set([...known, digest(SKILL_TEXT)])].join('\n')}\n`);
  await writeAtomic(join(path, FILE), SKILL_TEXT);
  return 'written';
}

/** Removes what we wrote. Throws a `LocalError` for a folder that is not ours. */
export async function removeSkill(path: string): Promise<'removed' | 'absent'> {
  const now = await skillState(path);
  if (now.state === 'absent') return 'absent';
  if (now.state === 'foreign') throw foreign(now);
  for (const name of [FILE, MARK]) await rm(join(path, name), { force: true });
  await rmdir(path);
  return 'removed';
}

function foreign({ path, why }: { path: string; why: string }): LocalError {
  return new LocalError(
    'skill_foreign',
    `${path} ${why}; it was left as it is.`,
    'Move it away by hand, then try again.',
  );
}
