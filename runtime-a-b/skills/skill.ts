/** One skill and its identity. Pure. */
import { createHash } from 'node:crypto';
import { GLOBAL_POLICY, SKILL_MODULES } from '../../contract/skills/index.ts';
import { VERSION } from '../../local/version/index.ts';
import { DESCRIPTION_CHARS_MAX, LABEL_CHARS_MAX } from './limits.ts';

/** Ours come first; a project's and the person's add to them and never replace one of the same name. */
export type SkillSource = 'builtin' | 'project' | 'user';

export interface Skill {
  id: string;
  title: string;
  description: string;
  source: SkillSource;
  identity: { source_identity: string; uri: string; digest: string; version: string };
  bytes: number;
  text: string;
}

export const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export function skillOf(
  given: { id: string; title: string; description: string; text: string; version: string },
  source: SkillSource,
  sourceIdentity: string,
): Skill {
  const { id, description, text } = given;
  const [title, version] = [given.title, given.version].map((one) => one.slice(0, LABEL_CHARS_MAX)) as [string, string];
  const uri = `skill://${source}/${id}`;
  return {
    id,
    title,
    description: description.slice(0, DESCRIPTION_CHARS_MAX),
    source,
    identity: { source_identity: sourceIdentity, uri, digest: digestOf(text), version },
    bytes: Buffer.byteLength(text),
    text,
  };
}

export const BUILTIN: readonly Skill[] = SKILL_MODULES.map((module) =>
  skillOf({ ...module, version: VERSION }, 'builtin', `herdr-mcp ${VERSION}`),
);

/** The whole policy as one text: what always holds and every module. */
export const SINGLE_DOCUMENT = [GLOBAL_POLICY, ...SKILL_MODULES.map(({ text }) => text)].join('\n');

/** What a list shows: everything but the text. */
export function descriptorOf({ text: _, ...descriptor }: Skill): Omit<Skill, 'text'> {
  return descriptor;
}

/**
 * A `SKILL.md`: `name` and `description` from the front matter, the rest is the text. Undefined without a usable name, or
 * when the name is not that of its folder, by which people find it.
 */
export function parseSkillFile(
  folder: string,
  content: string,
): { id: string; title: string; description: string; text: string; version: string } | undefined {
  const front = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(content);
  if (!front) return undefined;
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.+)$`, 'm')
      .exec(front[1] ?? '')?.[1]
      ?.trim()
      .replace(/^(["'])(.*)\1$/, '$2');
  const id = field('name');
  const description = field('description');
  if (id !== folder || !description) return undefined;
  const text = content.slice(front[0].length);
  return { id, title: field('title') ?? id, description, text, version: field('version') ?? 'unversioned' };
}

export const SKILL_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
