/**
 * Tables of agent tasks in `state.db`. A task is one prompt that was sent to one agent, and what became of it; it belongs
 * to the conversation or agent that sent it. Both generations write here, so every change names the revision that it is
 * made from. Times are integers, ms since 1970.
 */
import { sql } from 'drizzle-orm/sql';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const agentTasks = sqliteTable(
  'agent_tasks',
  {
    /** The dispatch id of the call that sent the prompt: one identity for both. */
    taskId: text('task_id').primaryKey(),
    turnId: text('turn_id').notNull(),
    deviceId: text('device_id').notNull(),
    /** Who dispatched. */
    principalKind: text('principal_kind').notNull(),
    principalId: text('principal_id').notNull(),
    callerSession: text('caller_session'),
    /** Whom the end is told: `session` (a conversation in the browser), `agent` (on this workstation) or `none`. */
    parentKind: text('parent_kind').notNull().default('none'),
    parentSessionRef: text('parent_session_ref'),
    /** As the dispatcher named it, and what it was then: the terminal is its identity, pane and name only words for it. */
    parentTarget: text('parent_target'),
    parentTerminalId: text('parent_terminal_id'),
    parentPaneId: text('parent_pane_id'),
    parentName: text('parent_name'),
    /** The child. */
    target: text('target').notNull(),
    /** The Herdr server that all ids of this row belong to. */
    serverKey: text('server_key').notNull(),
    terminalId: text('terminal_id').notNull(),
    paneId: text('pane_id').notNull(),
    workspaceId: text('workspace_id').notNull(),
    agentName: text('agent_name'),
    agentKind: text('agent_kind'),
    /** `submitting` until the prompt was sent; then as `contract/extension/tasks.ts` lists them. */
    lifecycle: text('lifecycle').notNull(),
    reason: text('reason').notNull(),
    baselineStatus: text('baseline_status').notNull(),
    baselineSeq: integer('baseline_seq'),
    /** A state change beyond this number counts as activity of this task. */
    gateSeq: integer('gate_seq'),
    activityObserved: integer('activity_observed', { mode: 'boolean' }).notNull().default(false),
    priorSettleObserved: integer('prior_settle_observed', { mode: 'boolean' }).notNull().default(false),
    /** Since when activity is waited for. */
    waitingSince: integer('waiting_since'),
    /** A settle that one look has shown and no second one has confirmed. */
    settlingStatus: text('settling_status'),
    settlingSeq: integer('settling_seq'),
    settlingSince: integer('settling_since'),
    /** Since when the agent could not be found. */
    goneSince: integer('gone_since'),
    lastStatus: text('last_status'),
    lastSeq: integer('last_seq'),
    lastSeenAt: integer('last_seen_at'),
    /** JSON `{rows, at_ms}`: the last rows of the screen when the task ended. */
    evidence: text('evidence'),
    terminalStatus: text('terminal_status'),
    terminalAt: integer('terminal_at'),
    /** Counts terminal tasks in the order in which they ended: a reader's place. */
    terminalNo: integer('terminal_no'),
    notificationState: text('notification_state').notNull().default('none'),
    notificationAttempts: integer('notification_attempts').notNull().default(0),
    notificationAt: integer('notification_at'),
    notificationError: text('notification_error'),
    /** The dispatch that carries the wake to a local parent; written before it is sent. */
    wakeDispatchId: text('wake_dispatch_id'),
    acknowledgedAt: integer('acknowledged_at'),
    /** The process that dispatched: a task that it never got to send is judged when it is gone. */
    bootId: text('boot_id').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    revision: integer('revision').notNull().default(0),
  },
  (table) => [
    index('agent_tasks_open').on(table.createdAt).where(sql`terminal_at IS NULL`),
    uniqueIndex('agent_tasks_terminal').on(table.terminalNo).where(sql`terminal_no IS NOT NULL`),
    index('agent_tasks_session').on(table.parentSessionRef, table.acknowledgedAt),
    index('agent_tasks_owner').on(table.principalKind, table.principalId, table.callerSession, table.acknowledgedAt),
    index('agent_tasks_wake').on(table.notificationState, table.parentKind),
    index('agent_tasks_age').on(table.terminalAt),
  ],
);

/** Which process drives the tasks now: one row at most. */
export const taskDriver = sqliteTable('agent_task_driver', {
  id: integer('id').primaryKey(),
  bootId: text('boot_id').notNull(),
  /** When it last looked at Herdr and at the tasks. */
  renewedAt: integer('renewed_at').notNull(),
});
