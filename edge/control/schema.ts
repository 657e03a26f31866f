/** Tables of fleet control, in the `Fleet` object. The generated SQL adds `WITHOUT ROWID` to each. */
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { LANE_STATES } from '../../contract/fleet/index.ts';

/** A chain with its fences. What it is about, and what its checkpoint says, is known on the devices only. */
export const workChains = sqliteTable(
  'work_chains',
  {
    workChainId: text('work_chain_id').primaryKey(),
    /** Raised by every checkpoint reference. */
    revision: integer('revision').notNull(),
    createdBy: text('created_by').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    touchedAtMs: integer('touched_at_ms').notNull(),
    checkpointRevision: integer('checkpoint_revision'),
    checkpointDigest: text('checkpoint_digest'),
    checkpointDevice: text('checkpoint_device'),
    /** The fencing number: raised by every acquisition and takeover, never lowered. 0 before the first. */
    leaseGeneration: integer('lease_generation').notNull(),
    /** Absent when nobody took it, or it was released. */
    leaseHolder: text('lease_holder'),
    leaseUntilMs: integer('lease_until_ms'),
    /** Why it was taken from somebody; for the displaced one to read. */
    leaseReason: text('lease_reason'),
  },
  (table) => [index('work_chains_by_age').on(table.touchedAtMs)],
);

/** Who owns a branch: at most one live lane a repository and branch. */
export const executionLanes = sqliteTable(
  'execution_lanes',
  {
    laneId: text('lane_id').primaryKey(),
    workChainId: text('work_chain_id').notNull(),
    /** Raised by every update. */
    generation: integer('generation').notNull(),
    state: text('state', { enum: [...LANE_STATES] }).notNull(),
    deviceId: text('device_id').notNull(),
    repo: text('repo').notNull(),
    baseCommit: text('base_commit').notNull(),
    branch: text('branch').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    index('execution_lanes_by_chain').on(table.workChainId),
    uniqueIndex('execution_lanes_live')
      .on(table.repo, table.branch)
      .where(sql`state IN ('planned', 'active', 'blocked')`),
  ],
);

/** Answers to calls that carried an idempotency key, for a day. */
export const controlAnswers = sqliteTable(
  'control_answers',
  {
    /** Digest of principal and key. */
    keyDigest: text('key_digest').primaryKey(),
    principalId: text('principal_id').notNull(),
    /** Which allowance it counts against. */
    kind: text('kind', { enum: ['admission', 'routine', 'critical'] }).notNull(),
    payloadDigest: text('payload_digest').notNull(),
    answer: text('answer').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [index('control_answers_expiry').on(table.expiresAtMs)],
);
