/** Who is signed in, where a site's server says so in one answer. */
import type { Look } from '../../site/index.ts';
import { type Ask, fetchJson, record } from './fetch-json.ts';
import { ACCOUNT_MAX_BYTES, ACCOUNT_TIMEOUT_MS } from './limits.ts';

/** `idOf` reads the answer: the site's id of the account, null when it says that there is none, undefined when it cannot be read. */
export async function askAccount(
  ask: Ask,
  path: string,
  signal: AbortSignal,
  idOf: (said: Record<string, unknown>) => string | null | undefined,
): Promise<Look<string>> {
  const limits = { signal, timeoutMs: ACCOUNT_TIMEOUT_MS, maxBytes: ACCOUNT_MAX_BYTES };
  const said = record(await fetchJson(ask, path, limits));
  const id = said === null ? undefined : idOf(said);
  return id == null ? { found: null, why: id === null ? 'missing' : 'unreadable' } : { found: id };
}
