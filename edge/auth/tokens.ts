/**
 * The token endpoint: the library's protocol, made safe against doubled and lost requests.
 *
 * The library alone gives every replay a new successor and revokes the grant on a doubled code. So each code and refresh
 * token is spent here exactly once, under a lock of its grant, and its answer is kept for {@link REPLAY_GRACE_MS},
 * sealed under the presented secret itself: the same client with the same proof gets the same bytes. After that, or from
 * anybody else, the secret is taken for stolen and the whole family ends.
 */
import { and, eq, isNotNull, lt, type SQL } from 'drizzle-orm';
import { REPLAY_GRACE_MS } from '../http/index.ts';
import { digest, seal, unseal } from '../secrets/index.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { type ConnectorRow, endConnector, findConnector } from './connectors.ts';
import { askLibrary, type TokenRequest } from './library.ts';
import type { Locks } from './locks.ts';
import { type AuthStore, connectors, Overlay, spent } from './store/index.ts';

/** What the exchange did besides answering: a connector that ended has to be told to the workstations. */
export interface Exchanged {
  answer: Answer;
  ended?: ConnectorRow;
}

const invalidGrant = (description: string): Answer => errorAnswer(400, 'invalid_grant', description);

/** Runs one request of the token endpoint. */
export async function exchange(
  store: AuthStore,
  locks: Locks,
  request: TokenRequest,
  clock: () => number,
): Promise<Exchanged> {
  const grantType = request.form.get('grant_type');
  const isRefresh = grantType === 'refresh_token';
  const secret = request.form.get(isRefresh ? 'refresh_token' : 'code') ?? '';
  const [connectorId, grantId] = secret.split(':');
  if ((grantType !== 'authorization_code' && !isRefresh) || !connectorId || !grantId) {
    // Nothing that could be spent: the library says what is wrong with it.
    return { answer: await askLibrary(request, new Overlay(store, clock())) };
  }
  return locks.run(`grant:${connectorId}:${grantId}`, () => spend(store, request, { secret, connectorId }, clock()));
}

async function spend(
  store: AuthStore,
  request: TokenRequest,
  shown: { secret: string; connectorId: string },
  nowMs: number,
): Promise<Exchanged> {
  const secretDigest = await digest('spent-secret', shown.secret);
  const presenter = await presenterDigest(request);
  const before = store.db.select().from(spent).where(eq(spent.secretDigest, secretDigest)).get();
  if (before) return replay(store, before, shown, presenter, nowMs);
  const overlay = new Overlay(store, nowMs);
  const answer = await askLibrary(request, overlay);
  if (answer.status !== 200) return { answer };
  const sealed = await seal(shown.secret, 'spent-answer', JSON.stringify(answer));
  const kept = store.atomically(() => {
    // The grant may have ended while the library worked: then its writes must not bring it back.
    const row = findConnector(store, shown.connectorId);
    if (row?.state !== 'approved') return false;
    overlay.commit();
    dropAnswers(store, eq(spent.connectorId, shown.connectorId), nowMs);
    store.db
      .insert(spent)
      .values({ secretDigest, connectorId: shown.connectorId, presenter, answer: sealed, spentAtMs: nowMs })
      .run();
    if (row.connectedAtMs === null) {
      store.db
        .update(connectors)
        .set({ connectedAtMs: nowMs })
        .where(eq(connectors.connectorId, shown.connectorId))
        .run();
    }
    return true;
  });
  return { answer: kept ? answer : invalidGrant('The grant was revoked. Sign in again.') };
}

async function replay(
  store: AuthStore,
  before: typeof spent.$inferSelect,
  shown: { secret: string; connectorId: string },
  presenter: string,
  nowMs: number,
): Promise<Exchanged> {
  const recent = nowMs - before.spentAtMs < REPLAY_GRACE_MS;
  if (recent && before.presenter === presenter && before.answer !== null) {
    const kept = await unseal(shown.secret, 'spent-answer', before.answer);
    if (kept !== undefined) return { answer: JSON.parse(kept) as Answer };
  }
  const ended = endConnector(store, before.connectorId, 'secret_reused', nowMs);
  return {
    answer: invalidGrant(
      'This code or token was used before, so everything that came from it was revoked. Sign in again.',
    ),
    ...(ended ? { ended } : {}),
  };
}

/** What must be shown again to get the same answer: the client, how it proved itself, and for a code its verifier. */
function presenterDigest({ form, presented }: TokenRequest): Promise<string> {
  return digest('presenter', presented.clientId, presented.clientSecret ?? '', form.get('code_verifier') ?? '');
}

/** Drops sealed answers whose grace is over: from then on the row only says that its secret was used. */
function dropAnswers(store: AuthStore, of: SQL | undefined, nowMs: number): void {
  const over = and(isNotNull(spent.answer), lt(spent.spentAtMs, nowMs - REPLAY_GRACE_MS));
  store.db.update(spent).set({ answer: null }).where(and(of, over)).run();
}

/** The daily part: sealed answers of everybody, and remembrance of secrets that are too old to matter. */
export function forgetSpent(store: AuthStore, nowMs: number, memoryMs: number): void {
  dropAnswers(store, undefined, nowMs);
  store.db
    .delete(spent)
    .where(lt(spent.spentAtMs, nowMs - memoryMs))
    .run();
}

/** Which grant a refused token request asked for; never its words, which a stranger chooses. */
export function grantWord(grantType: string | null): string {
  if (grantType === null) return 'revocation';
  return grantType === 'refresh_token' || grantType === 'authorization_code' ? grantType : 'other';
}
