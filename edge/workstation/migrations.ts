import start from '../../migrations/workstation/0000_start.sql';
import standing from '../../migrations/workstation/0001_standing.sql';
import runtimeBoot from '../../migrations/workstation/0002_runtime_boot.sql';
import journal from '../../migrations/workstation/meta/_journal.json' with { type: 'json' };

/** The committed migrations in the shape that drizzle's migrator takes. */
export const migrations = { journal, migrations: { m0000: start, m0001: standing, m0002: runtimeBoot } };
