/**
 * Who is signed in, by the site's own session. Its name, its address and its token are in there as well: they are not looked
 * at here, and nothing of it is kept.
 */
import type { Look } from '../../site/index.ts';
import { type Ask, fetchJson, record, text } from '../base/index.ts';
import { SESSION_MAX_BYTES, SESSION_TIMEOUT_MS } from './limits.ts';

/** Null: the site does not say. */
export async function readSession(ask: Ask, signal: AbortSignal): Promise<Record<string, unknown> | null> {
  const limits = { signal, timeoutMs: SESSION_TIMEOUT_MS, maxBytes: SESSION_MAX_BYTES };
  return record(await fetchJson(ask, '/api/auth/session', limits));
}

/** The person, and the workspace that is chosen where the session names one: the chats of each are not the others'. */
export async function account(ask: Ask, signal: AbortSignal): Promise<Look<string>> {
  const session = await readSession(ask, signal);
  if (session === null) return { found: null, why: 'unreadable' };
  const user = text(record(session.user)?.id);
  // A session without a person and without a token is nobody's; any other one is not understood.
  const nobody = session.user == null && session.accessToken == null;
  if (user === null) return { found: null, why: nobody ? 'missing' : 'unreadable' };
  return { found: JSON.stringify([user, text(record(session.account)?.id)]) };
}
