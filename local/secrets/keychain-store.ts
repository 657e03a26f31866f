import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { KEYCHAIN_MS } from '../limits.ts';
import { type Patience, patience, timeLimit } from '../patience/index.ts';
import { assertName, type SecretStore } from './store.ts';

const SERVICE = 'herdr-mcp';

/**
 * The person's keychain, or `undefined` when it does not answer a write, a read and a removal in time.
 * On Linux only the Secret Service counts: the kernel's keyring, to which the binding would fall back, forgets at reboot.
 * Accounts carry a digest of the state folder, so that two folders never share a key.
 */
export async function keychainStore(stateDir: string): Promise<SecretStore | undefined> {
  const digest = createHash('sha256').update(resolve(stateDir)).digest('hex').slice(0, 16);
  const keyring = await import('@napi-rs/keyring').catch(() => undefined); // no binary for this system
  if (!keyring) return undefined;
  const entry = (name: string) =>
    new keyring.AsyncEntry(SERVICE, `${digest}:${assertName(name)}`, { linux: { store: 'secret-service' } });
  const limit = () => timeLimit(KEYCHAIN_MS);
  const store: SecretStore = {
    backend: 'keychain',
    get: async (name) => (await inTime(entry(name).getPassword(limit()))) ?? undefined,
    set: (name, value) => inTime(entry(name).setPassword(value, limit())),
    delete: async (name) => void (await inTime(entry(name).deletePassword(limit()))),
  };
  try {
    await store.set('probe', digest);
    const answer = await store.get('probe');
    await store.delete('probe');
    return answer === digest ? store : undefined;
  } catch {
    return undefined; // no keychain here, or it is locked: the caller knows which of the two is an error
  }
}

/** The binding's own signal cancels only what has not begun, so the wait is bounded here too. */
function inTime<T>(work: Promise<T>): Promise<T> {
  let waiting: Patience | undefined;
  const late = new Promise<never>((_, reject) => {
    waiting = patience(KEYCHAIN_MS, () => reject(new Error('the keychain did not answer in time')));
  });
  return Promise.race([work, late]).finally(() => waiting?.end());
}
