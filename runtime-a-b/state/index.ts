/** The workstation's one database: its tables, how it is opened, and reading its audit trail. */
export { type AuditEntry, type AuditFilter, readAudit } from './audit.ts';
export { type Migrated, migrateState, schemaOf } from './migrate.ts';
export { openState, type State, schemaFacts } from './open.ts';
export { audit, boots, operations, results, revokedConnectors } from './schema.ts';
