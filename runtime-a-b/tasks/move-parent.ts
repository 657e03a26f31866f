/** A line of work goes on in another conversation: what it has not acknowledged goes with it. */
import { and, eq, isNull, sql } from 'drizzle-orm/sql';
import type { State } from '../state/index.ts';
import { agentTasks } from './schema.ts';

/** How many tasks there were. What is acknowledged is over, and stays with the conversation that took note of it. */
export function moveParent({ orm }: State, from: string, to: string, nowMs: number): number {
  return orm
    .update(agentTasks)
    .set({ parentSessionRef: to, updatedAt: nowMs, revision: sql`revision + 1` })
    .where(
      and(
        eq(agentTasks.parentKind, 'session'),
        eq(agentTasks.parentSessionRef, from),
        isNull(agentTasks.acknowledgedAt),
      ),
    )
    .run().changes;
}
