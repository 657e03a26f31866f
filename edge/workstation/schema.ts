/** Tables of a `Workstation` object. The generated SQL in `migrations/workstation` adds `WITHOUT ROWID` to each. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What became of each write: facts, never arguments or results. A row is written before the call is sent, once more
 * when it is settled, and deleted by the daily sweep. There is no further index on purpose: each would be a row write
 * of its own on every call, and a day's rows are few enough to be read through.
 */
export const receipts = sqliteTable('receipts', {
  dispatchId: text('dispatch_id').primaryKey(),
  tool: text('tool').notNull(),
  principalId: text('principal_id').notNull(),
  /** Digest of the caller's idempotency key. */
  keyDigest: text('key_digest'),
  /** Digest of the arguments after routing. */
  argsDigest: text('args_digest').notNull(),
  /** Which process of the link it was sent to, and over which of its connections. */
  bootId: text('boot_id').notNull(),
  connectionId: text('connection_id').notNull(),
  /** Which process of the runtime that link saw: the one that alone can have got it. Absent in rows of before. */
  runtimeBootId: text('runtime_boot_id'),
  sentAtMs: integer('sent_at_ms').notNull(),
  /** Absent until somebody knows. */
  delivery: text('delivery', { enum: ['not_delivered', 'delivered', 'unknown'] }),
  ok: integer('ok', { mode: 'boolean' }),
  code: text('code'),
  settledAtMs: integer('settled_at_ms'),
  size: integer('size'),
  resultDigest: text('result_digest'),
});

/** Connectors whose revocation has been confirmed here. */
export const tombstones = sqliteTable('tombstones', {
  connectorId: text('connector_id').primaryKey(),
  revokedAtMs: integer('revoked_at_ms').notNull(),
});

/** One row about the device itself, written when its link comes or goes and when its standing changes. */
export const device = sqliteTable('device', {
  id: integer('id').primaryKey(),
  connectedAtMs: integer('connected_at_ms'),
  /** Absent while connected; still absent when the object died with its sockets, which tells that from a long absence. */
  closedAtMs: integer('closed_at_ms'),
  closeCode: integer('close_code'),
  bootId: text('boot_id'),
  linkVersion: text('link_version'),
  /** {@link import('../../contract/link/index.ts').RuntimeFacts} as JSON. */
  runtime: text('runtime'),
  connections: integer('connections').notNull(),
  revokedAtMs: integer('revoked_at_ms'),
  /** What the registry last said of it; here too, because a call may come by an older list. */
  suspended: integer('suspended', { mode: 'boolean' }).notNull().default(false),
  paused: integer('paused', { mode: 'boolean' }).notNull().default(false),
});
