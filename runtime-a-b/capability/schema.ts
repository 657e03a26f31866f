/** The table of `capability/inventory.db`, a database of its own: its schema can never block a rollback of the runtime. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const records = sqliteTable('records', {
  agent: text('agent').primaryKey(),
  fingerprint: text('fingerprint').notNull(),
  probeLevel: text('probe_level').notNull(),
  observedAt: integer('observed_at_ms').notNull(),
  record: text('record_json').notNull(),
});

/** One row: when the last scan ended, and how deep it was. */
export const scans = sqliteTable('scans', {
  id: integer('id').primaryKey(),
  finishedAt: integer('finished_at_ms').notNull(),
  deep: integer('deep', { mode: 'boolean' }).notNull(),
});
