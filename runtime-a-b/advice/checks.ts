/** The checks that a project names itself, cheapest first. They are frozen: advice may order them and takes none away. Pure. */
import { CHECKS_MAX } from './limits.ts';

/** The files that say how a project is checked, by their names in its root. */
export const PROJECT_FILES = ['package.json', 'Makefile', 'Cargo.toml', 'go.mod', 'pyproject.toml'] as const;
export type ProjectFile = (typeof PROJECT_FILES)[number];

/** Scripts that check and change nothing, cheapest first. */
const SCRIPTS = ['format:check', 'lint', 'typecheck', 'check', 'test:unit', 'test', 'test:e2e', 'build'] as const;

/** Commands to run, from the contents of those files that exist. A file that cannot be understood names no check. */
export function projectChecks(files: Readonly<Partial<Record<ProjectFile, string>>>): string[] {
  const checks: string[] = [];
  const scripts = scriptsOf(files['package.json']);
  for (const name of SCRIPTS) if (scripts.has(name)) checks.push(name === 'test' ? 'npm test' : `npm run ${name}`);
  for (const target of ['lint', 'check', 'test']) {
    if (new RegExp(`^${target}\\s*:(?!=)`, 'm').test(files.Makefile ?? '')) checks.push(`make ${target}`);
  }
  if (files['Cargo.toml'] !== undefined) checks.push('cargo check', 'cargo test');
  if (files['go.mod'] !== undefined) checks.push('go vet ./...', 'go test ./...');
  if (/\[tool\.pytest/.test(files['pyproject.toml'] ?? '')) checks.push('pytest');
  return checks.slice(0, CHECKS_MAX);
}

function scriptsOf(text: string | undefined): ReadonlySet<string> {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: unknown };
    return new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []);
  } catch {
    // Not JSON: whoever runs the project will be told better than here.
    return new Set();
  }
}

/** The same checks, likeliest to notice something first. Always a permutation: a score moves a check and drops none. */
export function orderChecks(checks: readonly string[], scores: ReadonlyMap<number, number>): string[] {
  return checks
    .map((check, at) => ({ check, at, score: scores.get(at) ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => (a.score === b.score ? a.at - b.at : b.score - a.score))
    .map(({ check }) => check);
}
