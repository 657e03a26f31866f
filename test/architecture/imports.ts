/** Reads the import graph of the repository from its text. Pure apart from reading files. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Also a type-only one: it vanishes before anything runs, and binds the design all the same. */
export interface ImportEdge {
  from: string;
  to: string;
}

const SPECIFIER =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?['"](\.{1,2}\/[^'"]+)['"]|import\(\s*['"](\.{1,2}\/[^'"]+)['"]\s*\)/g;

/** All TypeScript files below `root`, relative to it, without dependencies and builds. */
export function sourceFiles(root: string, folder = root): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === 'node_modules' || name === 'dist' || name.startsWith('.')) return [];
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return sourceFiles(root, path);
    return /\.tsx?$/.test(name) && !name.endsWith('.d.ts') ? [relative(root, path)] : [];
  });
}

/** Every relative import between the given files; imports of data files are left out. */
export function importEdges(root: string, files: readonly string[]): ImportEdge[] {
  const known = new Set(files);
  return files.flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8');
    return [...text.matchAll(SPECIFIER)].flatMap((match) => {
      const specifier = match[1] ?? match[2];
      if (specifier === undefined) return [];
      const to = relative(root, resolve(root, dirname(from), specifier));
      return known.has(to) ? [{ from, to }] : [];
    });
  });
}

/** The first circle among the edges, as the list of files on it, or null. */
export function findCircle(edges: readonly ImportEdge[]): string[] | null {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): string[] | null => {
    const at = trail.indexOf(file);
    if (at >= 0) return [...trail.slice(at), file];
    if (done.has(file)) return null;
    trail.push(file);
    for (const target of next.get(file) ?? []) {
      const circle = visit(target);
      if (circle) return circle;
    }
    trail.pop();
    done.add(file);
    return null;
  };
  for (const file of next.keys()) {
    const circle = visit(file);
    if (circle) return circle;
  }
  return null;
}
