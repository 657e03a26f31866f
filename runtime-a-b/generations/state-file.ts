/** Reading a small state file whose schema is known. */
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
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
    'Remove it and start herdr-mcp on this machine again (npm start); nothing was changed.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
