/**
 * Opens a SQLite file that two generations may share: private, checked, and migrated under a lock.
 *
 * Migrations are generated SQL (`drizzle-kit`), committed, one folder a database. The table `meta` keeps
 * `schema_version` (how many have been applied) and `oldest_reader` (the smallest number of known migrations with which
 * a program still understands the file). A program refuses the file only below `oldest_reader`.
 */
export { type Migration, migrationsFolder, readMigrations } from './migrations.ts';
export { type DatabaseOptions, openDatabase } from './open.ts';
