/** Tables of Work Memory in `state.db`, beside those of the journal. Times are integers, ms since 1970. */
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Rolling checkpoints: what a chain's past amounts to. Every revision is kept; the newest one counts. */
export const checkpoints = sqliteTable(
  'continuity_checkpoints',
  {
    chainNo: integer('chain_no').notNull(),
    /** 1, 2, 3 … without a gap. */
    revision: integer('revision').notNull(),
    /** The last turn and the last evidence that the checkpoint covers, by id and by number; at least one of them. */
    throughMessageId: text('through_message_id'),
    throughEvidenceId: text('through_evidence_id'),
    throughTurnSeq: integer('through_turn_seq'),
    throughEvidenceSeq: integer('through_evidence_seq'),
    /** sha256 over everything that the checkpoint says, its place and its anchors; checked at every reading. */
    sha256: blob('sha256', { mode: 'buffer' }).notNull(),
    /** When its writer made it, and when it was accepted. */
    createdAt: integer('created_at').notNull(),
    recordedAt: integer('recorded_at').notNull(),
    summary: text('summary').notNull(),
    /** The text of a JSON object, as it was given. */
    checkpointJson: text('checkpoint_json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainNo, table.revision] })],
);

/** Sessions of chat providers that write into a chain: where something came from, never a permission. */
export const sessions = sqliteTable(
  'continuity_sessions',
  {
    chainNo: integer('chain_no').notNull(),
    provider: text('provider').notNull(),
    accountRef: text('account_ref').notNull().default(''),
    spaceRef: text('space_ref').notNull().default(''),
    sessionRef: text('session_ref').notNull(),
    boundAt: integer('bound_at').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.chainNo, table.provider, table.accountRef, table.spaceRef, table.sessionRef],
    }),
  ],
);

/** Every reclaiming of old bodies, dry runs too: on the strength of which checkpoint, how far, and what became of it. */
export const reclaims = sqliteTable(
  'continuity_reclaims',
  {
    reclaimId: text('reclaim_id').primaryKey(),
    chainNo: integer('chain_no').notNull(),
    dryRun: integer('dry_run', { mode: 'boolean' }).notNull(),
    /** `running`, `done`; one left `running` by a dead process is continued by the next. */
    state: text('state').notNull(),
    checkpointRevision: integer('checkpoint_revision').notNull(),
    checkpointSha256: blob('checkpoint_sha256', { mode: 'buffer' }).notNull(),
    /** The last turn that may lose its body. */
    throughSeq: integer('through_seq').notNull(),
    turns: integer('turns').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
    /** Turns whose text no longer has its digest: left as they are. */
    damaged: integer('damaged').notNull().default(0),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [index('continuity_reclaims_chain').on(table.chainNo, table.startedAt)],
);
