/** The revocation endpoint (RFC 7009): a host that signs out by itself. */
import { endConnector } from './connectors.ts';
import { askLibrary, type TokenRequest } from './library.ts';
import type { Locks } from './locks.ts';
import { type AuthStore, Overlay } from './store/index.ts';
import type { Exchanged } from './tokens.ts';

/**
 * Revokes a token. An access token ends alone; a refresh token ends its grant, and with it the connector, which then has
 * to be told to the workstations. A token that is not this client's, or is none, is answered the same and changes nothing.
 */
export async function signOut(
  store: AuthStore,
  locks: Locks,
  request: TokenRequest,
  clock: () => number,
): Promise<Exchanged> {
  const [connectorId = '', grantId = ''] = (request.form.get('token') ?? '').split(':');
  const grantKey = `grant:${connectorId}:${grantId}`;
  return locks.run(grantKey, async () => {
    const nowMs = clock();
    const overlay = new Overlay(store, nowMs);
    const existed = (await overlay.get(grantKey)) !== null;
    const answer = await askLibrary(request, overlay);
    if (answer.status !== 200) return { answer };
    const gone = existed && (await overlay.get(grantKey)) === null;
    store.atomically(() => overlay.commit());
    const ended = gone ? endConnector(store, connectorId, 'signed_out', nowMs) : undefined;
    return { answer, ...(ended ? { ended } : {}) };
  });
}
