/** The workstation's guides: Markdown files that lie beside the program. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SkillModule {
  id: string;
  content: string;
  bytes: number;
  /** `sha256:…` of the content. */
  digest: string;
}

/** Where the modules lie: beside these sources, or beside the bundle. */
function folder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const candidates = [join(here, 'modules'), join(here, 'skills')];
  return candidates.find((candidate) => existsSync(candidate)) ?? join(here, 'modules');
}

/** One module by its id. Throws what the system says when it is not there: an installation without it is broken. */
export async function readSkill(id: 'guide'): Promise<SkillModule> {
  const content = await readFile(join(folder(), `${id}.md`), 'utf8');
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { id, content, bytes: Buffer.byteLength(content), digest };
}
