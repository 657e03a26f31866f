/** Reading the audit trail, for `herdr-mcp audit` and the tools. */
import { and, desc, eq, gte } from 'drizzle-orm/sql';
import type { State } from './open.ts';
import { audit } from './schema.ts';

export type AuditEntry = Omit<typeof audit.$inferSelect, 'id'>;

export interface AuditFilter {
  /** Only calls that ended at this time or later, in ms since 1970. */
  sinceMs?: number;
  tool?: string;
  limit: number;
}

/** The newest entries that fit, newest first. */
export function readAudit(state: State, filter: AuditFilter): AuditEntry[] {
  const rows = state.orm
    .select()
    .from(audit)
    .where(
      and(
        filter.sinceMs === undefined ? undefined : gte(audit.at, filter.sinceMs),
        filter.tool === undefined ? undefined : eq(audit.tool, filter.tool),
      ),
    )
    .orderBy(desc(audit.at), desc(audit.id))
    .limit(filter.limit)
    .all();
  return rows.map(({ id: _, ...entry }) => entry);
}
