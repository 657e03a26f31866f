/** Whether a bearer holds, and for whom. */
import { eq } from 'drizzle-orm';
import { LAST_USED_WRITE_MS, resourceOf } from '../http/index.ts';
import { automationOf, noteAutomationUse } from './automations.ts';
import { type ConnectorRow, findConnector } from './connectors.ts';
import type { EdgePrincipal } from './principal.ts';
import { providerFor } from './provider.ts';
import { type AuthStore, connectors, Overlay } from './store/index.ts';

/** A token that holds, for whom, and until when (ms since 1970). */
export interface Validated {
  principal: EdgePrincipal;
  expiresAtMs: number;
}

/**
 * Whether a bearer holds for the resource of `origin`: it exists, is not expired, was issued for that audience, and its
 * connector or automation client has not ended. Writes the last use at most once a day, otherwise nothing.
 */
export async function validate(
  store: AuthStore,
  token: string,
  origin: string,
  nowMs: number,
): Promise<Validated | null> {
  if (token.startsWith('auto_')) return validateAutomation(store, token, origin, nowMs);
  const env = { OAUTH_KV: new Overlay(store, nowMs) };
  const valid = await providerFor(origin).validateToken(resourceOf(origin), token, env);
  if (!valid?.scope.includes('mcp')) return null;
  const row = findConnector(store, valid.userId);
  if (row?.state !== 'approved') return null;
  if (isWorthNoting(row.lastUsedAtMs, nowMs)) {
    const { db } = store;
    db.update(connectors).set({ lastUsedAtMs: nowMs, origin }).where(eq(connectors.connectorId, row.connectorId)).run();
  }
  return { principal: principalOf(row), expiresAtMs: valid.expiresAt * 1000 };
}

async function validateAutomation(
  store: AuthStore,
  token: string,
  origin: string,
  nowMs: number,
): Promise<Validated | null> {
  const found = await automationOf(store, token, origin, nowMs);
  if (!found) return null;
  const { clientId, name, deviceId, lastUsedAtMs } = found.row;
  if (isWorthNoting(lastUsedAtMs, nowMs)) noteAutomationUse(store, clientId, origin, nowMs);
  const principal = { kind: 'automation', id: clientId, label: name, clientId, readOnly: false, deviceId } as const;
  return { principal, expiresAtMs: found.expiresAtMs };
}

function isWorthNoting(lastUsedAtMs: number | null, nowMs: number): boolean {
  return lastUsedAtMs === null || nowMs - lastUsedAtMs >= LAST_USED_WRITE_MS;
}

function principalOf(row: ConnectorRow): EdgePrincipal {
  return {
    kind: 'connector',
    id: row.connectorId,
    label: row.label,
    clientId: row.clientId,
    readOnly: row.readOnly,
    ...(row.deviceId === null ? {} : { deviceId: row.deviceId }),
  };
}
