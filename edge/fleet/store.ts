import { type DrizzleSqliteDODatabase, drizzle } from 'drizzle-orm/durable-sqlite';
import { migrate } from 'drizzle-orm/durable-sqlite/migrator';
import { migrations } from './migrations.ts';

/** The object's storage: the database, and a transaction around what must not happen by halves. */
export interface FleetStore {
  db: DrizzleSqliteDODatabase;
  atomically<T>(work: () => T): T;
}

/** Opens the object's database and brings its tables up to date. */
export async function openStore(storage: DurableObjectStorage): Promise<FleetStore> {
  const db = drizzle(storage);
  await migrate(db, migrations);
  return { db, atomically: (work) => storage.transactionSync(work) };
}
