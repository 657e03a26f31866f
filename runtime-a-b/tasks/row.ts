/** A task's row as the state machine sees it, and back. Pure. */
import type { Lifecycle } from '../../contract/extension/tasks.ts';
import type { AgentStatus } from '../../contract/herdr/index.ts';
import { knownStatus } from '../herdr/index.ts';
import type { TaskState } from './lifecycle.ts';
import type { agentTasks } from './schema.ts';

export type TaskRow = typeof agentTasks.$inferSelect;

/** Before the prompt was sent; nobody outside sees it. */
export const SUBMITTING = 'submitting';

const OPEN: ReadonlySet<string> = new Set(['awaiting_prior_settle', 'awaiting_activity', 'running']);

/** The state of an open task; undefined for one that is being sent or has ended. */
export function stateOf(row: TaskRow): TaskState | undefined {
  if (!OPEN.has(row.lifecycle)) return undefined;
  return {
    lifecycle: row.lifecycle as TaskState['lifecycle'],
    reason: row.reason,
    gateSeq: row.gateSeq,
    activityObserved: row.activityObserved,
    priorSettleObserved: row.priorSettleObserved,
    waitingSince: row.waitingSince,
    settling:
      row.settlingSince === null
        ? null
        : { status: status(row.settlingStatus), seq: row.settlingSeq, since: row.settlingSince },
    goneSince: row.goneSince,
    last: row.lastSeenAt === null ? null : { status: status(row.lastStatus), seq: row.lastSeq, at: row.lastSeenAt },
  };
}

/** The columns that a state is kept in. */
export function columnsOf(state: TaskState): Partial<TaskRow> {
  return {
    lifecycle: state.lifecycle,
    reason: state.reason,
    gateSeq: state.gateSeq,
    activityObserved: state.activityObserved,
    priorSettleObserved: state.priorSettleObserved,
    waitingSince: state.waitingSince,
    settlingStatus: state.settling?.status ?? null,
    settlingSeq: state.settling?.seq ?? null,
    settlingSince: state.settling?.since ?? null,
    goneSince: state.goneSince,
    lastStatus: state.last?.status ?? null,
    lastSeq: state.last?.seq ?? null,
    lastSeenAt: state.last?.at ?? null,
  };
}

/** Only the columns that differ; empty when nothing does. */
export function changed(row: TaskRow, columns: Partial<TaskRow>): Partial<TaskRow> {
  const entries = Object.entries(columns) as [keyof TaskRow, TaskRow[keyof TaskRow]][];
  return Object.fromEntries(entries.filter(([name, value]) => row[name] !== value)) as Partial<TaskRow>;
}

/** The lifecycle as everybody sees it: a task that is being sent waits for activity. */
export function shownLifecycle(row: TaskRow): Lifecycle {
  return row.lifecycle === SUBMITTING ? 'awaiting_activity' : (row.lifecycle as Lifecycle);
}

const status = (text: string | null): AgentStatus => knownStatus(text ?? 'unknown');
