/** Whether a conversation is about to be told of the tasks of some panes: then nobody else tells it of their settle. */
import { and, gt, inArray, isNotNull, isNull, or } from 'drizzle-orm/sql';
import type { State } from '../state/index.ts';
import { agentTasks } from './schema.ts';

/** A task of one of these panes settles now, or ended after `since` (ms since 1970) and was not acknowledged. */
export function isOwed({ orm }: State, sessions: readonly string[], panes: readonly string[], since: number): boolean {
  const fresh = or(
    gt(agentTasks.terminalAt, since),
    and(isNull(agentTasks.terminalAt), isNotNull(agentTasks.settlingSince)),
  );
  const row = orm
    .select({ id: agentTasks.taskId })
    .from(agentTasks)
    .where(
      and(
        inArray(agentTasks.parentSessionRef, [...sessions]),
        inArray(agentTasks.paneId, [...panes]),
        isNull(agentTasks.acknowledgedAt),
        fresh,
      ),
    )
    .limit(1)
    .get();
  return row !== undefined;
}
