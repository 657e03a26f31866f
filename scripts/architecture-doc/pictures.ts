/** The pictures of docs/architecture.md, drawn from the imports that the sources really have. */
import { importEdges, sourceFiles } from '../../test/architecture/imports.ts';
import { planeOf } from '../../test/architecture/rules.ts';

interface Arrow {
  from: string;
  to: string;
}

/** Planes that have a picture of their own folders. */
const INSIDE = ['edge', 'link', 'runtime-a-b', 'extension', 'embedded-herdr', 'cli'] as const;

/** Picture name → Mermaid text. `root` is the repository. */
export function picturesOf(root: string): Record<string, string> {
  const files = sourceFiles(root).filter((file) => !/^(test|scripts)\//.test(file) && planeOf(file) !== null);
  const arrows = importEdges(root, files);
  const pictures: Record<string, string> = {
    planes: flowchart(merged(arrows, (file) => planeOf(file) ?? undefined)),
  };
  for (const plane of INSIDE) {
    const inside = arrows.filter(({ from, to }) => planeOf(from) === plane && planeOf(to) === plane);
    pictures[`inside-${plane}`] = flowchart(merged(inside, (file) => folderIn(plane, file)));
  }
  return pictures;
}

/** The first folder below the plane; files directly in it are common ground and draw no arrow. */
function folderIn(plane: string, file: string): string | undefined {
  const [folder, ...rest] = file.slice(plane.length + 1).split('/');
  return rest.length > 0 ? folder : undefined;
}

function merged(arrows: readonly Arrow[], nameOf: (file: string) => string | undefined): Arrow[] {
  const seen = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const from = nameOf(arrow.from);
    const to = nameOf(arrow.to);
    if (from === undefined || to === undefined || from === to) continue;
    seen.set(`${from} ${to}`, { from, to });
  }
  return [...seen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, arrow]) => arrow);
}

function flowchart(arrows: readonly Arrow[]): string {
  const names = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort();
  const id = (name: string) => `n${names.indexOf(name)}`;
  return [
    'flowchart TD',
    ...names.map((name) => `    ${id(name)}["${name}"]`),
    ...arrows.map(({ from, to }) => `    ${id(from)} --> ${id(to)}`),
  ].join('\n');
}
