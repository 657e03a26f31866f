/** The pictures of docs/continuity.md: each machine, drawn as Mermaid from what it really does. */
import { fillPictures } from '../pictures.ts';
import type { Edge } from './explore.ts';

export interface Picture {
  name: string;
  /** Phases in which it begins. */
  starts: readonly string[];
  edges(): readonly Edge[];
}

/** The page with every machine drawn anew. */
export function withPictures(page: string, pictures: readonly Picture[]): string {
  return fillPictures(page, Object.fromEntries(pictures.map((picture) => [picture.name, mermaid(picture)])));
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
