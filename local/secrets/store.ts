import { LocalError } from '../error/index.ts';

/** Secrets by name. Values are text. */
export interface SecretStore {
  backend: 'keychain' | 'file';
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** Resolves also when there was none. */
  delete(name: string): Promise<void>;
}

/** A name is also a file name, so it is a plain word. */
export function assertName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(name) && name !== 'backend') return name;
  throw new LocalError('secret_name', `"${name}" is no name for a secret.`, 'Use small letters, digits and dashes.');
}
