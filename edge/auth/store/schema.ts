/** Tables of the `Auth` object. The generated SQL in `migrations/auth` adds `WITHOUT ROWID` to each. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** The OAuth library's key-value store: grants, access tokens, its own odds and ends. */
export const entries = sqliteTable(
  'entries',
  {
    key: text('key').primaryKey(),
    value: text('value').notNull(),
    expiresAtMs: integer('expires_at_ms'),
  },
  (table) => [index('entries_expiry').on(table.expiresAtMs)],
);

/** Client records: registered ones, and the last good document of those that are an HTTPS address. */
export const clients = sqliteTable(
  'clients',
  {
    clientId: text('client_id').primaryKey(),
    source: text('source', { enum: ['registered', 'document'] }).notNull(),
    record: text('record').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Documents only: when to ask the client's host again. */
    freshUntilMs: integer('fresh_until_ms'),
    /** Absent while the client owns a grant. */
    expiresAtMs: integer('expires_at_ms'),
  },
  (table) => [index('clients_expiry').on(table.source, table.expiresAtMs)],
);

/** Codes and refresh tokens that were used, under the digest of the secret. */
export const spent = sqliteTable(
  'spent',
  {
    secretDigest: text('secret_digest').primaryKey(),
    connectorId: text('connector_id').notNull(),
    /** Digest of what the presenter must show again: client, its secret, the verifier. */
    presenter: text('presenter').notNull(),
    /** The answer, sealed under the presented secret; dropped after the grace. */
    answer: text('answer'),
    spentAtMs: integer('spent_at_ms').notNull(),
  },
  (table) => [index('spent_by_age').on(table.spentAtMs), index('spent_by_connector').on(table.connectorId)],
);

/** Sign-ins that wait for, or have got, a decision. */
export const requests = sqliteTable(
  'requests',
  {
    requestId: text('request_id').primaryKey(),
    /** Digest of everything that makes two authorization requests the same one. */
    sameness: text('sameness').notNull(),
    /** The code and the page's token are HMACs of this; neither is stored. */
    nonce: text('nonce').notNull(),
    state: text('state', { enum: ['pending', 'locked', 'approved', 'denied', 'completed'] }).notNull(),
    origin: text('origin').notNull(),
    address: text('address').notNull(),
    /** The library's parsed request, as JSON. */
    request: text('request').notNull(),
    /** {@link import('../../../contract/fleet/index.ts').App} as JSON. */
    app: text('app').notNull(),
    scopes: text('scopes').notNull(),
    tries: integer('tries').notNull(),
    openedAtMs: integer('opened_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    connectorId: text('connector_id'),
    /** Where the browser goes, sealed under the page's token: it holds the code. */
    redirect: text('redirect'),
  },
  (table) => [index('requests_by_sameness').on(table.sameness), index('requests_expiry').on(table.expiresAtMs)],
);

/** One row a grant; ended ones stay for a while as an account of what happened. */
export const connectors = sqliteTable(
  'connectors',
  {
    connectorId: text('connector_id').primaryKey(),
    state: text('state', { enum: ['approved', 'revoking', 'revoked'] }).notNull(),
    clientId: text('client_id').notNull(),
    app: text('app').notNull(),
    label: text('label').notNull(),
    scopes: text('scopes').notNull(),
    readOnly: integer('read_only', { mode: 'boolean' }).notNull(),
    deviceId: text('device_id'),
    /** The address of the edge that it was approved for; null for one from before this column that has not called since. */
    origin: text('origin'),
    approvedAtMs: integer('approved_at_ms').notNull(),
    approvedBy: text('approved_by').notNull(),
    connectedAtMs: integer('connected_at_ms'),
    lastUsedAtMs: integer('last_used_at_ms'),
    endedAtMs: integer('ended_at_ms'),
    endedWhy: text('ended_why'),
  },
  (table) => [index('connectors_by_state').on(table.state), index('connectors_by_client').on(table.clientId)],
);

/** Clients for CI: no person signs in, and each is bound to one device. */
export const automations = sqliteTable('automations', {
  clientId: text('client_id').primaryKey(),
  name: text('name').notNull(),
  deviceId: text('device_id').notNull(),
  secretDigest: text('secret_digest').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  createdBy: text('created_by').notNull(),
  rotatedAtMs: integer('rotated_at_ms'),
  lastUsedAtMs: integer('last_used_at_ms'),
  /** The address of the edge at which it was last used. */
  origin: text('origin'),
  revokedAtMs: integer('revoked_at_ms'),
});
