import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateFile, writeAtomic } from '../files/index.ts';
import { assertName, type SecretStore } from './store.ts';

/** One 0600 file a secret. */
export function fileStore(folder: string): SecretStore {
  const file = (name: string) => join(folder, assertName(name));
  return {
    backend: 'file',
    get: async (name) => (await readPrivateFile(file(name)))?.toString('utf8'),
    set: (name, value) => writeAtomic(file(name), value),
    delete: (name) => rm(file(name), { force: true }),
  };
}
