/**
 * What a deploy or a cutover has done, written before and after each step, so that the same command goes on where it
 * stopped. A private file without any secret.
 */
import { dirname } from 'node:path';
import type { Static, TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir, readPrivateFile, writeAtomic } from '../../local/files/index.ts';

export class Journal<S extends TSchema> {
  readonly file: string;
  readonly #schema: S;

  constructor(file: string, schema: S) {
    this.file = file;
    this.#schema = schema;
  }

  /** What was written last; `undefined` when nothing was. Throws for a file that is no such journal. */
  async read(): Promise<Static<S> | undefined> {
    const bytes = await readPrivateFile(this.file);
    if (!bytes) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8'));
    } catch {
      value = undefined;
    }
    if (Value.Check(this.#schema, value)) return value;
    throw new LocalError(
      'journal_broken',
      `${this.file} is not what this command writes there, so it is not known where it stopped.`,
      'Look at the Worker in the dashboard, remove the file, and run the command again. Nothing was changed now.',
    );
  }

  /** On disk when it resolves, also after a power cut. */
  async write(value: Static<S>): Promise<void> {
    ensurePrivateDir(dirname(this.file));
    await writeAtomic(this.file, `${JSON.stringify(value, null, 2)}\n`);
  }
}
