/** Tables of the `Fleet` object. The generated SQL in `migrations/fleet` adds `WITHOUT ROWID` to each. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Paired workstations. A revoked one stays as a tombstone for ever. */
export const devices = sqliteTable('devices', {
  deviceId: text('device_id').primaryKey(),
  name: text('name').notNull(),
  /** `x` of the Ed25519 JWK. */
  publicKey: text('public_key').notNull(),
  authorization: text('authorization', { enum: ['active', 'suspended', 'revoked'] }).notNull(),
  paused: integer('paused', { mode: 'boolean' }).notNull(),
  pairedAtMs: integer('paired_at_ms').notNull(),
  /**
   * False only while it is certain that no link is there: none was admitted since the last one ended. Never written by a
   * ping, a call or a look. A device from before this column may be linked.
   */
  mayBeLinked: integer('may_be_linked', { mode: 'boolean' }).notNull().default(true),
  /** Which link was admitted last: the end of an earlier one says nothing. */
  linkId: text('link_id'),
  linkEndedAtMs: integer('link_ended_at_ms'),
  /** The address of the edge in its last token; null for one from before this column that has not asked since. */
  origin: text('origin'),
  /** Meant by a call that names no workstation. At most one is. */
  isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
});

/** Open pairings, and consumed ones until they expire, so that a repeated request gets the same device. */
export const pairings = sqliteTable('pairings', {
  /** Digest of the pairing id: the id is half of the secret. */
  idDigest: text('id_digest').primaryKey(),
  /** The code is an HMAC of this; it is stored nowhere. */
  nonce: text('nonce').notNull(),
  name: text('name'),
  tries: integer('tries').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
  /** Set when the operator secret opened it: consuming it spends that secret. */
  operatorDigest: text('operator_digest'),
  deviceId: text('device_id'),
  publicKey: text('public_key'),
});

/**
 * Connectors and automation clients that ended within a day: a workstation that links later is told of them before it
 * gets a call.
 */
export const endedPrincipals = sqliteTable('ended_principals', {
  principalId: text('principal_id').primaryKey(),
  /** The only device that it could reach. */
  deviceId: text('device_id'),
  endedAtMs: integer('ended_at_ms').notNull(),
});

/** Digests of operator secrets that have paired their device. A new secret, from a new deploy, is another one. */
export const spentOperatorSecrets = sqliteTable('spent_operator_secrets', {
  secretDigest: text('secret_digest').primaryKey(),
  spentAtMs: integer('spent_at_ms').notNull(),
});

/** Token ids that were accepted, until no token that carries them can be accepted again. */
export const spentTokens = sqliteTable(
  'spent_tokens',
  {
    jti: text('jti').primaryKey(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [index('spent_tokens_expiry').on(table.expiresAtMs)],
);
