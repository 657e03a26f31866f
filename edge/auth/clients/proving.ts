/** Checks a client assertion against the client's document, once for each `jti`, and takes it out of the request. */
import { eq } from 'drizzle-orm';
import { ASSERTION_LEEWAY_S, KEY_SET_BYTES } from '../../http/index.ts';
import { digest } from '../../secrets/index.ts';
import { ENDPOINTS } from '../provider.ts';
import { type AuthStore, clients, entries } from '../store/index.ts';
import { ASSERTION_TYPE, judgeAssertion, parseAssertion, signedByClient } from './assertion.ts';
import type { ClientRecord } from './document-rules.ts';
import { fetchDocument } from './fetching.ts';

/** The client that an assertion names, before anything is checked. */
export function assertedClientId(form: URLSearchParams): string | undefined {
  return parseAssertion(form.get('client_assertion') ?? '')?.issuer;
}

/**
 * Whether the request is proven as its document demands. A valid assertion is removed from the form, so that what
 * follows sees a public client that has proved itself; a client whose document allows nothing else must bring one.
 */
export async function proveClient(
  store: AuthStore,
  request: { origin: string; form: URLSearchParams; clientId: string },
  nowMs: number,
): Promise<boolean> {
  const { form } = request;
  const brought = form.get('client_assertion');
  const row = store.db.select().from(clients).where(eq(clients.clientId, request.clientId)).get();
  const record = row?.source === 'document' ? (JSON.parse(row.record) as ClientRecord) : undefined;
  if (!brought && !form.get('client_assertion_type')) return record?.assertion?.required !== true;
  const parsed = parseAssertion(brought ?? '');
  if (!record?.assertion || !parsed || form.get('client_assertion_type') !== ASSERTION_TYPE) return false;
  const audiences = [request.origin, `${request.origin}${ENDPOINTS.token}`];
  if (judgeAssertion(parsed, record, { audiences, nowMs }) !== undefined) return false;
  const keySet =
    record.assertion.jwksUri === undefined ? record.assertion.jwks : await keySetAt(record.assertion.jwksUri);
  if (!(await signedByClient(parsed, keySet))) return false;
  const key = `assertion:${await digest('assertion-jti', parsed.issuer, parsed.jti)}`;
  if (!useOnce(store, key, (parsed.expiresAtS + 2 * ASSERTION_LEEWAY_S) * 1000, nowMs)) return false;
  form.delete('client_assertion');
  form.delete('client_assertion_type');
  form.set('client_id', request.clientId);
  return true;
}

async function keySetAt(address: string): Promise<unknown> {
  const fetched = await fetchDocument(address, KEY_SET_BYTES);
  return fetched.ok ? fetched.value : undefined;
}

function useOnce(store: AuthStore, key: string, expiresAtMs: number, nowMs: number): boolean {
  return store.atomically(() => {
    const known = store.db.select().from(entries).where(eq(entries.key, key)).get();
    if (known && (known.expiresAtMs ?? 0) > nowMs) return false;
    store.db
      .insert(entries)
      .values({ key, value: '', expiresAtMs })
      .onConflictDoUpdate({ target: entries.key, set: { expiresAtMs } })
      .run();
    return true;
  });
}
