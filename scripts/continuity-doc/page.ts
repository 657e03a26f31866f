/**
 * docs/continuity.md is written by hand, except what stands between `<!-- picture: name -->` and `<!-- /picture -->`:
 * that is the machine of this name, drawn as Mermaid from what it really does.
 */
import type { Edge } from './explore.ts';

export interface Picture {
  name: string;
  /** Phases in which it begins. */
  starts: readonly string[];
  edges(): readonly Edge[];
}

const PLACE = /<!-- picture: ([\w-]+) -->\n[\s\S]*?<!-- \/picture -->/g;

/** The page with every picture drawn anew. Throws for a place without a machine, and for a machine without a place. */
export function withPictures(page: string, pictures: readonly Picture[]): string {
  const missing = new Set(pictures.map(({ name }) => name));
  const drawn = page.replace(PLACE, (_, name: string) => {
    const picture = pictures.find((one) => one.name === name);
    if (!picture) throw new Error(`docs/continuity.md has a place for ${name}, which is no picture`);
    missing.delete(name);
    return `<!-- picture: ${name} -->\n\`\`\`mermaid\n${mermaid(picture)}\n\`\`\`\n<!-- /picture -->`;
  });
  if (missing.size > 0) throw new Error(`docs/continuity.md has no place for ${[...missing].join(', ')}`);
  return drawn;
}

/** One arrow for each pair of phases, with everything that leads from one to the other. */
function mermaid(picture: Picture): string {
  const labels = new Map<string, Set<string>>();
  for (const { from, to, on } of picture.edges()) {
    if (from === to) continue;
    const arrow = `${from} --> ${to}`;
    labels.set(arrow, (labels.get(arrow) ?? new Set()).add(on));
  }
  const starts = picture.starts.map((phase) => `    [*] --> ${phase}`);
  const arrows = [...labels].map(([arrow, on]) => `    ${arrow}: ${[...on].sort().join(', ')}`).sort();
  return ['stateDiagram-v2', ...starts, ...arrows].join('\n');
}
