/** The two secrets of an edge: made here, sent to Cloudflare's API in a body, kept nowhere longer than they are needed. */
import { randomBytes } from 'node:crypto';
import type { SecretStore } from '../../local/secrets/index.ts';
import { settle, type WorkerAt } from '../cloudflare/index.ts';
import { SECRET_BYTES } from './limits.ts';

/** In the state folder's secrets until it is proved dead, so that a stopped deploy goes on with the same one. */
const OPERATOR = 'operator-secret';

export const freshSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The operator secret of this deploy, made when there is none. */
export async function operatorSecret(store: SecretStore): Promise<string> {
  const kept = await store.get(OPERATOR);
  if (kept !== undefined) return kept;
  const fresh = freshSecret();
  await store.set(OPERATOR, fresh);
  return fresh;
}

/** The kept one, when there is one. */
export const keptOperatorSecret = (store: SecretStore): Promise<string | undefined> => store.get(OPERATOR);

export const forgetOperatorSecret = (store: SecretStore): Promise<void> => store.delete(OPERATOR);

/** Sets a secret unless one of that name is there. Its value is never read back: Cloudflare does not show it. */
export function putSecret(worker: WorkerAt, name: string, value: string, lookAgainMs: readonly number[]) {
  return settle({
    what: `setting ${name}`,
    read: () => worker.secrets(),
    isDone: (names) => names.includes(name),
    isUntouched: (names) => !names.includes(name),
    act: () => worker.api.change('PUT', `${worker.path}/secrets`, { name, text: value, type: 'secret_text' }),
    lookAgainMs,
  });
}

/** Takes a secret away. */
export function dropSecret(worker: WorkerAt, name: string, lookAgainMs: readonly number[]) {
  return settle({
    what: `removing ${name}`,
    read: () => worker.secrets(),
    isDone: (names) => !names.includes(name),
    isUntouched: (names) => names.includes(name),
    act: () => worker.api.change('DELETE', `${worker.path}/secrets/${encodeURIComponent(name)}`),
    lookAgainMs,
  });
}
