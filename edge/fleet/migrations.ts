import start from '../../migrations/fleet/0000_start.sql';
import control from '../../migrations/fleet/0001_control.sql';
import links from '../../migrations/fleet/0002_links.sql';
import addresses from '../../migrations/fleet/0003_addresses.sql';
import journal from '../../migrations/fleet/meta/_journal.json' with { type: 'json' };

/** The committed migrations in the shape that drizzle's migrator takes. */
export const migrations = { journal, migrations: { m0000: start, m0001: control, m0002: links, m0003: addresses } };
