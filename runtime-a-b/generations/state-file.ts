/** Reading a small state file whose schema is known, and what becomes of one that cannot be used. */
import { statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { Static, TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { LocalError } from '../../local/error/index.ts';
import { readPrivateFile, readPrivateFileNow } from '../../local/files/index.ts';

/**
 * The checked content of a state file, or `undefined` when there is none. Throws a `LocalError` when it is not private
 * or not what it should be; it is left as it is.
 */
export async function readStateFile<S extends TSchema>(
  file: string,
  schema: S,
  writer = 'herdr-mcp',
): Promise<Static<S> | undefined> {
  return checked(file, schema, await readPrivateFile(file), writer);
}

/** The same without giving way: see {@link readPrivateFileNow}. */
export function readStateFileNow<S extends TSchema>(file: string, schema: S): Static<S> | undefined {
  return checked(file, schema, readPrivateFileNow(file), 'herdr-mcp');
}

function checked<S extends TSchema>(
  file: string,
  schema: S,
  bytes: Buffer | undefined,
  writer: string,
): Static<S> | undefined {
  if (!bytes) return undefined;
  const value = parse(bytes.toString('utf8'));
  if (Value.Check(schema, value)) return value as Static<S>;
  throw new LocalError(
    'state_file_broken',
    `${file} is not what ${writer} writes there.`,
    'Move it away and start this machine again (herdr-mcp up, in a clone npm start); nothing was changed.',
  );
}

/** Whether a file could be read and says nothing that we understand; one that is not private is a person's to look at. */
export const isBroken = (error: unknown): error is LocalError =>
  error instanceof LocalError && error.code === 'state_file_broken';

/** Puts a file that cannot be used beside itself, over the one that was put there before, and gives its new name. */
export async function setAside(file: string): Promise<string> {
  await rename(file, `${file}.broken`);
  return `${file}.broken`;
}

/** Changes whenever a file is replaced: each is written anew and renamed, so it is another inode. */
export function lookOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino}:${stats.mtimeMs}:${stats.size}:${stats.mode}` : '-';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
