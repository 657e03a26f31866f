/**
 * Automation clients: a name and a secret for CI, bound to one device, an hour a token, no person and no refresh. Made
 * by a paired device only; a client cannot register itself for this.
 */
import { and, count, eq, gte, isNull, lt } from 'drizzle-orm';
import type { Automation, AutomationSecret } from '../../contract/fleet/index.ts';
import { timeOrdered } from '../../contract/ids.ts';
import { AUTOMATION_TOKEN_S, AUTOMATIONS_MAX, type Refused, refusal, resourceOf } from '../http/index.ts';
import { digest, randomHex, sameSecret } from '../secrets/index.ts';
import { ANSWER_HEADERS, type Answer, errorAnswer } from './answer.ts';
import type { Presented } from './credentials.ts';
import { ENDPOINTS } from './provider.ts';
import { type AuthStore, automations, entries } from './store/index.ts';

export type AutomationRow = typeof automations.$inferSelect;

export function automationView(row: AutomationRow): Automation {
  return {
    client_id: row.clientId,
    name: row.name,
    device_id: row.deviceId,
    created_at_ms: row.createdAtMs,
    created_by: row.createdBy,
    ...(row.rotatedAtMs === null ? {} : { rotated_at_ms: row.rotatedAtMs }),
    ...(row.lastUsedAtMs === null ? {} : { last_used_at_ms: row.lastUsedAtMs }),
    ...(row.origin === null ? {} : { origin: row.origin }),
    ...(row.revokedAtMs === null ? {} : { revoked_at_ms: row.revokedAtMs }),
  };
}

function findAutomation(store: AuthStore, clientId: string): AutomationRow | undefined {
  return store.db.select().from(automations).where(eq(automations.clientId, clientId)).get();
}

/** Every automation client, revoked ones too, oldest first. */
export function allAutomations(store: AuthStore): AutomationRow[] {
  return store.db.select().from(automations).orderBy(automations.clientId).all();
}

const secretDigest = (secret: string): Promise<string> => digest('automation-secret', secret);

/** Makes a client and shows its secret, once. */
export async function createAutomation(
  store: AuthStore,
  input: { name: string; deviceId: string; by: string; origin: string },
  nowMs: number,
): Promise<AutomationSecret | Refused> {
  const secret = randomHex(32);
  const row: AutomationRow = {
    clientId: `auto_${timeOrdered(nowMs, crypto.getRandomValues(new Uint8Array(10)))}`,
    name: input.name,
    deviceId: input.deviceId,
    secretDigest: await secretDigest(secret),
    createdAtMs: nowMs,
    createdBy: input.by,
    rotatedAtMs: null,
    lastUsedAtMs: null,
    origin: null,
    revokedAtMs: null,
  };
  const admitted = store.atomically(() => {
    const live = store.db.select({ n: count() }).from(automations).where(isNull(automations.revokedAtMs)).get()?.n ?? 0;
    if (live >= AUTOMATIONS_MAX) return false;
    store.db.insert(automations).values(row).run();
    return true;
  });
  if (admitted) return shown(row, secret, input.origin);
  return refusal(
    'automation_limit',
    `${AUTOMATIONS_MAX} automation clients exist. None was made.`,
    'Revoke one that is no longer used: `herdr-mcp automation list`.',
  );
}

/** Replaces the secret. Tokens of the old one end with it. */
export async function rotateAutomation(
  store: AuthStore,
  input: { clientId: string; origin: string },
  nowMs: number,
): Promise<AutomationSecret | Refused> {
  const row = findAutomation(store, input.clientId);
  if (!row || row.revokedAtMs !== null) return unknownAutomation(input.clientId);
  const secret = randomHex(32);
  const changed = { secretDigest: await secretDigest(secret), rotatedAtMs: nowMs };
  store.atomically(() => {
    store.db.update(automations).set(changed).where(eq(automations.clientId, row.clientId)).run();
    dropTokens(store, row.clientId);
  });
  return shown({ ...row, ...changed }, secret, input.origin);
}

/** Ends a client and its tokens. Ending it twice changes nothing. */
export function endAutomation(store: AuthStore, clientId: string, nowMs: number): AutomationRow | undefined {
  return store.atomically(() => {
    const row = findAutomation(store, clientId);
    if (!row || row.revokedAtMs !== null) return row;
    store.db.update(automations).set({ revokedAtMs: nowMs }).where(eq(automations.clientId, clientId)).run();
    dropTokens(store, clientId);
    return { ...row, revokedAtMs: nowMs };
  });
}

const tokenPrefix = (clientId: string): string => `automation-token:${clientId}:`;

function dropTokens(store: AuthStore, clientId: string): void {
  const prefix = tokenPrefix(clientId);
  store.db
    .delete(entries)
    .where(and(gte(entries.key, prefix), lt(entries.key, `${prefix}\uffff`)))
    .run();
}

function shown(row: AutomationRow, secret: string, origin: string): AutomationSecret {
  return {
    ok: true,
    automation: automationView(row),
    client_secret: secret,
    token_endpoint: `${origin}${ENDPOINTS.token}`,
    scope: 'mcp',
  };
}

interface StoredToken {
  clientId: string;
  origin: string;
}

/** The client-credentials grant. One answer for every wrong client, and for a client of another kind. */
export async function automationToken(
  store: AuthStore,
  request: { origin: string; presented: Presented },
  nowMs: number,
): Promise<Answer> {
  const { clientId, clientSecret = '' } = request.presented;
  const row = findAutomation(store, clientId);
  const given = await secretDigest(clientSecret);
  if (!row) {
    const registered = !clientId.startsWith('auto_');
    return registered
      ? errorAnswer(
          400,
          'unauthorized_client',
          'Only automation clients made on a workstation may use client_credentials.',
        )
      : errorAnswer(401, 'invalid_client', 'The client or its secret is wrong.');
  }
  if (row.revokedAtMs !== null || !sameSecret(given, row.secretDigest)) {
    return errorAnswer(401, 'invalid_client', 'The client or its secret is wrong.');
  }
  const token = `${clientId}:${randomHex(8)}:${randomHex(32)}`;
  const value: StoredToken = { clientId, origin: request.origin };
  const key = `${tokenPrefix(clientId)}${await digest('automation-token', token)}`;
  const kept = store.atomically(() => {
    if (findAutomation(store, clientId)?.revokedAtMs !== null) return false;
    store.db
      .insert(entries)
      .values({ key, value: JSON.stringify(value), expiresAtMs: nowMs + AUTOMATION_TOKEN_S * 1000 })
      .run();
    return true;
  });
  if (!kept) return errorAnswer(401, 'invalid_client', 'The client or its secret is wrong.');
  return {
    status: 200,
    headers: ANSWER_HEADERS,
    body: JSON.stringify({
      access_token: token,
      token_type: 'bearer',
      expires_in: AUTOMATION_TOKEN_S,
      scope: 'mcp',
      resource: resourceOf(request.origin),
    }),
  };
}

/** The client of a token of this origin, and when the token ends; `undefined` for any that does not hold. */
export async function automationOf(
  store: AuthStore,
  token: string,
  origin: string,
  nowMs: number,
): Promise<{ row: AutomationRow; expiresAtMs: number } | undefined> {
  const [clientId = ''] = token.split(':');
  const key = `${tokenPrefix(clientId)}${await digest('automation-token', token)}`;
  const stored = store.db.select().from(entries).where(eq(entries.key, key)).get();
  if (!stored || (stored.expiresAtMs ?? 0) <= nowMs) return undefined;
  if ((JSON.parse(stored.value) as StoredToken).origin !== origin) return undefined;
  const row = findAutomation(store, clientId);
  return row && row.revokedAtMs === null ? { row, expiresAtMs: stored.expiresAtMs ?? 0 } : undefined;
}

/** Written at most once a day. */
export function noteAutomationUse(store: AuthStore, clientId: string, origin: string, nowMs: number): void {
  store.db.update(automations).set({ lastUsedAtMs: nowMs, origin }).where(eq(automations.clientId, clientId)).run();
}

export const unknownAutomation = (clientId: string): Refused =>
  refusal(
    'automation_not_found',
    `There is no automation client ${clientId}, or it was revoked. Nothing was changed.`,
    'Run `herdr-mcp automation list`.',
  );
