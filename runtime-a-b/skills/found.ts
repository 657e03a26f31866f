/** Skills that a project or the person keeps as `.agents/skills/<name>/SKILL.md`. Links and odd names are left out. */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from '../roots/index.ts';
import { SKILL_BYTES_MAX, SKILLS_PER_SOURCE } from './limits.ts';
import { parseSkillFile, SKILL_NAME, type Skill, type SkillSource, skillOf } from './skill.ts';

/** Every usable skill below `<base>/.agents/skills`, by name. A folder that is absent has none. */
export async function findSkills(base: string, source: Exclude<SkillSource, 'builtin'>): Promise<Skill[]> {
  const folder = join(base, '.agents', 'skills');
  const names = await namesIn(base, folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const content = await readSkillFile(join(folder, name), folder);
      const parsed = content === undefined ? undefined : parseSkillFile(name, content);
      return parsed ? skillOf(parsed, source, source === 'user' ? 'user' : `project ${base}`) : undefined;
    }),
  );
  return found.filter((skill) => skill !== undefined);
}

async function namesIn(base: string, folder: string): Promise<string[]> {
  try {
    const real = await realpath(folder);
    if (!isWithin(await realpath(base), real)) return [];
    const entries = await readdir(real, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && SKILL_NAME.test(entry.name))
      .map(({ name }) => name)
      .sort()
      .slice(0, SKILLS_PER_SOURCE);
  } catch {
    // There is no such folder, or it is not ours to read: no skills.
    return [];
  }
}

async function readSkillFile(skill: string, within: string): Promise<string | undefined> {
  const file = join(skill, 'SKILL.md');
  try {
    if (!isWithin(await realpath(within), await realpath(skill))) return undefined;
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > SKILL_BYTES_MAX) return undefined;
      return (await handle.readFile()).toString('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    // No SKILL.md, a link, or unreadable: this folder is no skill.
    return undefined;
  }
}
