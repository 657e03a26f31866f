/**
 * Dynamic registration (RFC 7591) that cannot grow without bound. Registering grants nothing: a client is a few strings
 * that live an hour unless a person approves a sign-in with them.
 */
import { and, asc, count, eq, gt, isNotNull, lt, lte, notExists, sql } from 'drizzle-orm';
import { REDIRECT_URIS_MAX, REQUEST_MS, UNGRANTED_CLIENT_MS, UNGRANTED_CLIENTS_MAX } from '../../http/index.ts';
import { ANSWER_HEADERS, type Answer, errorAnswer } from '../answer.ts';
import { ENDPOINTS, NO_CONTEXT, providerFor } from '../provider.ts';
import { type AuthStore, clients, Overlay, requests } from '../store/index.ts';

/** Registers a client, or says in RFC 7591's words why not. `body` is at most as long as the route allows. */
export async function register(
  store: AuthStore,
  input: { origin: string; body: string },
  nowMs: number,
): Promise<Answer> {
  const problem = judgeMetadata(input.body);
  if (problem) return problem;
  const overlay = new Overlay(store, nowMs);
  // A flood is turned away before the library does any work for it.
  if (!isRoom(store, nowMs)) return full();
  const upstream = new Request(`${input.origin}${ENDPOINTS.register}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: input.body,
  });
  const response = await providerFor(input.origin).fetch(upstream, { OAUTH_KV: overlay }, NO_CONTEXT);
  const body = await response.text();
  if (response.status !== 201) return { status: response.status, headers: ANSWER_HEADERS, body };
  const { client_id: clientId } = JSON.parse(body) as { client_id: string };
  const admitted = store.atomically(() => {
    if (!makeRoomForClient(store, nowMs)) return false;
    overlay.commit();
    store.db
      .update(clients)
      .set({ expiresAtMs: nowMs + UNGRANTED_CLIENT_MS })
      .where(eq(clients.clientId, clientId))
      .run();
    return true;
  });
  return admitted ? { status: 201, headers: ANSWER_HEADERS, body } : full();
}

function full(): Answer {
  const answer = errorAnswer(
    429,
    'temporarily_unavailable',
    'Too many clients are registered and unused. Try again later.',
  );
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(REQUEST_MS / 1000)) } };
}

/** What we refuse before the library looks: broken JSON in its own words, and more redirect addresses than any app has. */
function judgeMetadata(body: string): Answer | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return errorAnswer(400, 'invalid_client_metadata', 'The registration is not JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return errorAnswer(400, 'invalid_client_metadata', 'The registration is not a JSON object.');
  }
  const uris = (parsed as { redirect_uris?: unknown }).redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0) {
    return errorAnswer(400, 'invalid_redirect_uri', 'redirect_uris must list at least one address.');
  }
  if (uris.length > REDIRECT_URIS_MAX) {
    return errorAnswer(400, 'invalid_redirect_uri', `redirect_uris may list at most ${REDIRECT_URIS_MAX} addresses.`);
  }
  return undefined;
}

/**
 * Drops expired clients, and above the bound the oldest one that nobody is signing in with and that had ten minutes to
 * start. False when every place belongs to somebody who may still be on the way.
 */
function makeRoomForClient(store: AuthStore, nowMs: number): boolean {
  const { db } = store;
  db.delete(clients)
    .where(and(eq(clients.source, 'registered'), lte(clients.expiresAtMs, nowMs)))
    .run();
  if (heldPlaces(store, nowMs) < UNGRANTED_CLIENTS_MAX) return true;
  const idle = idleClient(store, nowMs);
  if (idle === undefined) return false;
  db.delete(clients).where(eq(clients.clientId, idle)).run();
  return true;
}

/** The same question without changing anything. */
function isRoom(store: AuthStore, nowMs: number): boolean {
  return heldPlaces(store, nowMs) < UNGRANTED_CLIENTS_MAX || idleClient(store, nowMs) !== undefined;
}

const ungranted = and(eq(clients.source, 'registered'), isNotNull(clients.expiresAtMs));

function heldPlaces({ db }: AuthStore, nowMs: number): number {
  const held = db
    .select({ n: count() })
    .from(clients)
    .where(and(ungranted, gt(clients.expiresAtMs, nowMs)));
  return held.get()?.n ?? 0;
}

function idleClient({ db }: AuthStore, nowMs: number): string | undefined {
  const signingIn = db
    .select({ one: sql`1` })
    .from(requests)
    .where(sql`json_extract(${requests.request}, '$.clientId') = ${clients.clientId}`);
  return db
    .select({ clientId: clients.clientId })
    .from(clients)
    .where(and(ungranted, lt(clients.createdAtMs, nowMs - REQUEST_MS), notExists(signingIn)))
    .orderBy(asc(clients.createdAtMs))
    .limit(1)
    .get()?.clientId;
}

/** Lets a client live at least until `untilMs`; one that owns a grant lives on as it is. */
export function keepClient(store: AuthStore, clientId: string, untilMs: number): void {
  store.db
    .update(clients)
    .set({ expiresAtMs: untilMs })
    .where(and(eq(clients.clientId, clientId), lt(clients.expiresAtMs, untilMs)))
    .run();
}
