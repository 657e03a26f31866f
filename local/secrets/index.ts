/**
 * A state folder's secrets, by name: in the person's keychain, or in 0600 files under `keys/`.
 *
 * Which of the two is decided once and written down (`keys/backend`). A keychain that is locked today must not look like
 * "no key": that would make the workstation pair again as another device.
 */
import { join } from 'node:path';
import { LocalError } from '../error/index.ts';
import { ensurePrivateDir, readPrivateFile, writeAtomic } from '../files/index.ts';
import { statePaths } from '../paths/index.ts';
import { fileStore } from './file-store.ts';
import { keychainStore } from './keychain-store.ts';
import type { SecretStore } from './store.ts';

export type { SecretStore } from './store.ts';
export type Backend = 'keychain' | 'file';

/**
 * Opens the secrets of a state folder. `backend`, else `HERDR_MCP_SECRETS`, else what was decided before, else the
 * keychain when it works, else files. Throws a {@link LocalError} when the keychain was chosen and does not answer.
 */
export async function openSecrets(
  stateDir: string,
  options: { backend?: Backend; env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<SecretStore> {
  const folder = ensurePrivateDir(statePaths(stateDir).keys);
  const marker = join(folder, 'backend');
  const asked = options.backend ?? named((options.env ?? process.env)['HERDR_MCP_SECRETS'], 'HERDR_MCP_SECRETS');
  const decided = asked ?? named((await readPrivateFile(marker))?.toString('utf8').trim(), marker);
  const keychain = () => keychainStore(stateDir);
  if (decided === 'file') return fileStore(folder);
  if (decided === 'keychain') {
    const store = await keychain();
    if (store) return store;
    throw new LocalError(
      'keychain_unavailable',
      "This workstation's key is in the keychain, and the keychain does not answer.",
      'Unlock it (log in to the desktop) and try again; nothing was changed.',
    );
  }
  const store = await keychain();
  await writeAtomic(marker, store ? 'keychain\n' : 'file\n');
  return store ?? fileStore(folder);
}

function named(value: string | undefined, where: string): Backend | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'keychain' || value === 'file') return value;
  throw new LocalError('secrets_backend_unknown', `${where} says "${value}".`, 'It must be "keychain" or "file".');
}
