import start from '../../../migrations/auth/0000_start.sql';
import addresses from '../../../migrations/auth/0001_addresses.sql';
import journal from '../../../migrations/auth/meta/_journal.json' with { type: 'json' };

/** The committed migrations in the shape that drizzle's migrator takes. */
export const migrations = { journal, migrations: { m0000: start, m0001: addresses } };
