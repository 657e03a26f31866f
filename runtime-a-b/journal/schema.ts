/**
 * Tables of the journal in `state.db`. One counter (`seq`) numbers turns and evidence together in the order in which
 * they were accepted, so that "everything up to here" is one number for both. Times are integers, ms since 1970.
 */
import { sql } from 'drizzle-orm/sql';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** A work chain: one durable line of work across conversations. Its id never changes; its title is only shown. */
export const chains = sqliteTable(
  'continuity_chains',
  {
    chainNo: integer('chain_no').primaryKey({ autoIncrement: true }),
    continuityId: text('continuity_id').notNull(),
    title: text('title').notNull().default(''),
    /** The title folded as the search folds words. */
    titleKey: text('title_key').notNull().default(''),
    /** Whose project `project_id` is. */
    provider: text('provider').notNull().default(''),
    projectId: text('project_id').notNull().default(''),
    /** `active`, `closed`, or `importing` (a file is being read in; nobody sees it yet). */
    status: text('status').notNull().default('active'),
    /** The Work Memory partition: all three or none, set once. */
    projectRef: text('project_ref'),
    repoId: text('repo_id'),
    workChainId: text('work_chain_id'),
    /** Revision of the newest checkpoint; 0 before the first. Compare-and-set goes by it. */
    checkpointRevision: integer('checkpoint_revision').notNull().default(0),
    /** `retain_all`, or `reclaim_covered`: bodies that a verified checkpoint covers may go. */
    retentionPolicy: text('retention_policy').notNull().default('retain_all'),
    /** Turns up to this number have lost their bodies where the record says so; 0 when none has. */
    reclaimedThroughSeq: integer('reclaimed_through_seq').notNull().default(0),
    /** Counted while writing, so that no answer has to count a million rows. */
    turnCount: integer('turn_count').notNull().default(0),
    turnBytes: integer('turn_bytes').notNull().default(0),
    evidenceCount: integer('evidence_count').notNull().default(0),
    lastUserSeq: integer('last_user_seq').notNull().default(0),
    lastAssistantSeq: integer('last_assistant_seq').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('continuity_chains_id').on(table.continuityId),
    uniqueIndex('continuity_chains_partition')
      .on(table.projectRef, table.repoId, table.workChainId)
      .where(sql`work_chain_id IS NOT NULL`),
    index('continuity_chains_project').on(table.projectId, table.provider),
    index('continuity_chains_recent').on(table.status, table.updatedAt),
  ],
);

/** Which conversation belongs to which chain, and in which workspace it was journaled. Retired, never deleted. */
export const bindings = sqliteTable(
  'continuity_bindings',
  {
    conversationId: text('conversation_id').notNull(),
    provider: text('provider').notNull(),
    chainNo: integer('chain_no').notNull(),
    /** With the key of its Herdr server in front (`embedded/w1`); empty when no workspace is bound. */
    workspaceId: text('workspace_id').notNull().default(''),
    boundAt: integer('bound_at').notNull(),
    retiredAt: integer('retired_at'),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.provider, table.chainNo, table.workspaceId] }),
    index('continuity_bindings_chain').on(table.chainNo),
    index('continuity_bindings_workspace').on(table.workspaceId),
  ],
);

/** Finalized turns, appended once by message id. `text` stands last: it is what most reads do not want. */
export const turns = sqliteTable(
  'continuity_turns',
  {
    seq: integer('seq').primaryKey(),
    chainNo: integer('chain_no').notNull(),
    messageId: text('message_id').notNull(),
    provider: text('provider').notNull().default(''),
    conversationId: text('conversation_id').notNull().default(''),
    accountRef: text('account_ref').notNull().default(''),
    spaceRef: text('space_ref').notNull().default(''),
    sessionRef: text('session_ref').notNull().default(''),
    messageRef: text('message_ref').notNull().default(''),
    role: text('role').notNull(),
    /** sha256 of the text's UTF-8, kept when the body goes. */
    sha256: blob('sha256', { mode: 'buffer' }).notNull(),
    bytes: integer('bytes').notNull(),
    observedAt: integer('observed_at').notNull(),
    recordedAt: integer('recorded_at').notNull(),
    /** null once the body was reclaimed. */
    text: text('text'),
  },
  (table) => [
    uniqueIndex('continuity_turns_message').on(table.chainNo, table.messageId),
    index('continuity_turns_chain').on(table.chainNo, table.seq),
  ],
);

/** What was found out: test output, decisions, diffs. Identical evidence is one row. */
export const evidence = sqliteTable(
  'continuity_evidence',
  {
    seq: integer('seq').primaryKey(),
    chainNo: integer('chain_no').notNull(),
    evidenceId: text('evidence_id').notNull(),
    kind: text('kind').notNull(),
    provider: text('provider').notNull().default(''),
    accountRef: text('account_ref').notNull().default(''),
    spaceRef: text('space_ref').notNull().default(''),
    sessionRef: text('session_ref').notNull().default(''),
    /** A place in Git that means the same on every machine; null when the evidence names none. */
    portableRepoId: text('portable_repo_id'),
    portableCommitSha: text('portable_commit_sha'),
    portablePath: text('portable_path'),
    portableLineStart: integer('portable_line_start'),
    portableLineEnd: integer('portable_line_end'),
    sha256: blob('sha256', { mode: 'buffer' }).notNull(),
    bytes: integer('bytes').notNull(),
    createdAt: integer('created_at').notNull(),
    recordedAt: integer('recorded_at').notNull(),
    content: text('content').notNull(),
  },
  (table) => [
    uniqueIndex('continuity_evidence_id').on(table.chainNo, table.evidenceId),
    index('continuity_evidence_chain').on(table.chainNo, table.seq),
  ],
);

/** The answer of a write, stored in the transaction that wrote: what an interrupted call is judged by. */
export const receipts = sqliteTable(
  'continuity_receipts',
  {
    dispatchId: text('dispatch_id').primaryKey(),
    method: text('method').notNull(),
    at: integer('at').notNull(),
    answer: text('answer').notNull(),
  },
  (table) => [index('continuity_receipts_at').on(table.at)],
);

/** Random keys of this database. The only one now seals cursors. */
export const secrets = sqliteTable('continuity_secrets', {
  name: text('name').primaryKey(),
  value: blob('value', { mode: 'buffer' }).notNull(),
});
