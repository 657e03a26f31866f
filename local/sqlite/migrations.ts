import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalError } from '../error/index.ts';

/** One step of a schema, in order. */
export interface Migration {
  name: string;
  statements: string[];
}

const BREAKPOINT = '--> statement-breakpoint';

/**
 * The folder `migrations/<name>` nearest above a module. Beside a bundle that is `dist/migrations/<name>`, in the
 * sources the repository's own: `migrationsFolder('state', import.meta.url)`.
 */
export function migrationsFolder(name: string, moduleUrl: string): string {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    const candidate = join(folder, 'migrations', name);
    if (existsSync(join(candidate, 'meta', '_journal.json'))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new LocalError(
    'migrations_missing',
    `The migrations of the database "${name}" are missing from this installation.`,
    'Install herdr-mcp again.',
  );
}

/** Reads a generated folder in the order of its journal. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    entries: { idx: number; tag: string }[];
  };
  return [...journal.entries]
    .sort((one, other) => one.idx - other.idx)
    .map(({ tag }) => ({
      name: tag,
      statements: readFileSync(join(folder, `${tag}.sql`), 'utf8')
        .split(BREAKPOINT)
        .map((statement) => statement.trim())
        .filter((statement) => statement !== ''),
    }));
}
