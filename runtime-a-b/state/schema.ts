/**
 * Tables of `state.db`, the one database of the workstation, shared by both generations. `drizzle-kit generate` turns a
 * change here into a step in `migrations/state/`; between two promotions steps only add, so that the older generation
 * still understands the file. Times are integers, ms since 1970.
 */

import { sql } from 'drizzle-orm/sql';
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Every mutating call: written before it acts, settled after. Kept for 24 hours. */
export const operations = sqliteTable(
  'operations',
  {
    dispatchId: text('dispatch_id').primaryKey(),
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    principalLabel: text('principal_label').notNull(),
    tool: text('tool').notNull(),
    /** The inner method of `herdr_call`. */
    method: text('method'),
    deviceId: text('device_id').notNull(),
    callerSession: text('caller_session'),
    /** sha256 over the canonical arguments without the key. The arguments themselves are never stored. */
    argsDigest: text('args_digest').notNull(),
    /** sha256 over principal and idempotency key; null without a key and once the key is free again. */
    keyDigest: text('key_digest'),
    /** What it acts on: a root, a path, a workspace, an agent. Never contents. */
    target: text('target'),
    /** JSON list of `{path, before, after}`: what an interrupted call is judged by. */
    intended: text('intended'),
    /** `running`, `settled` or `interrupted` (its process died before it could tell). */
    state: text('state').notNull(),
    ok: integer('ok', { mode: 'boolean' }),
    code: text('code'),
    delivery: text('delivery'),
    /** An exec session that goes on after the answer; the key stays bound until it ends. */
    sessionId: text('session_id'),
    /** The dispatch whose recorded result this one returned. */
    sameAs: text('same_as'),
    generation: text('generation').notNull(),
    bootId: text('boot_id').notNull(),
    receivedAt: integer('received_at').notNull(),
    settledAt: integer('settled_at'),
    /** When the link's edge confirmed the result; set at once for calls that came in at the loopback door. */
    acknowledgedAt: integer('acknowledged_at'),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('operations_key').on(table.keyDigest).where(sql`key_digest IS NOT NULL`),
    index('operations_similar').on(table.principalId, table.tool, table.argsDigest, table.receivedAt),
    index('operations_principal').on(table.principalKind, table.principalId, table.receivedAt),
    index('operations_open').on(table.state, table.acknowledgedAt),
    index('operations_expiry').on(table.expiresAt),
  ],
);

/** Bytes of settled results, apart from the ledger's rows so that scans stay small. */
export const results = sqliteTable('operation_results', {
  dispatchId: text('dispatch_id').primaryKey(),
  body: blob('body', { mode: 'buffer' }).notNull(),
});

/** Who called what, when, on what, and how it ended. Never contents. */
export const audit = sqliteTable(
  'audit',
  {
    id: integer('id').primaryKey(),
    at: integer('at').notNull(),
    dispatchId: text('dispatch_id').notNull(),
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    principalLabel: text('principal_label').notNull(),
    tool: text('tool').notNull(),
    method: text('method'),
    target: text('target'),
    ok: integer('ok', { mode: 'boolean' }).notNull(),
    code: text('code'),
    delivery: text('delivery').notNull(),
    durationMs: integer('duration_ms').notNull(),
  },
  (table) => [index('audit_at').on(table.at), index('audit_tool').on(table.tool, table.at)],
);

/** Processes that served calls: whether one that left a call open still lives. */
export const boots = sqliteTable('boots', {
  bootId: text('boot_id').primaryKey(),
  generation: text('generation').notNull(),
  pid: integer('pid').notNull(),
  /** As `processStartTime` gives it: a reused pid has another one. */
  processStart: text('process_start').notNull(),
  version: text('version').notNull(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
});

/** Connectors that the edge revoked: their calls are refused here too. */
export const revokedConnectors = sqliteTable('revoked_connectors', {
  connectorId: text('connector_id').primaryKey(),
  revokedAt: integer('revoked_at').notNull(),
});
