/** A task as everybody sees it. Pure. */
import { isTerminal, type TaskView } from '../../contract/extension/tasks.ts';
import { shownLifecycle, type TaskRow } from './row.ts';

interface Evidence {
  rows: string[];
  at_ms: number;
}

export function taskView(row: TaskRow): TaskView {
  const lifecycle = shownLifecycle(row);
  return {
    task_id: row.taskId,
    dispatch_id: row.taskId,
    turn_id: row.turnId,
    exact_native_turn: false,
    target: row.target,
    agent: { name: row.agentName, kind: row.agentKind, pane_id: row.paneId, workspace_id: row.workspaceId },
    lifecycle,
    terminal: isTerminal(lifecycle),
    reason: row.reason,
    activity_observed: row.activityObserved,
    prior_settle_observed: row.priorSettleObserved,
    baseline: { agent_status: row.baselineStatus, state_change_seq: row.baselineSeq },
    last_seen:
      row.lastSeenAt === null
        ? null
        : { agent_status: row.lastStatus ?? 'unknown', state_change_seq: row.lastSeq, at_ms: row.lastSeenAt },
    evidence: evidenceOf(row),
    terminal_status: row.terminalStatus,
    terminal_event_id: row.terminalNo === null ? null : `terminal:${row.taskId}:${row.terminalNo}`,
    terminal_at_ms: row.terminalAt,
    acknowledged: row.acknowledgedAt !== null,
    notification_state: row.notificationState as TaskView['notification_state'],
    created_at_ms: row.createdAt,
    updated_at_ms: row.updatedAt,
  };
}

export function evidenceOf(row: TaskRow): Evidence | null {
  return row.evidence === null ? null : (JSON.parse(row.evidence) as Evidence);
}
