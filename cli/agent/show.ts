import type { InboxTask, TasksAnswer, TaskView } from '../../contract/extension/index.ts';
import { age, oneLine } from '../terminal/index.ts';

/** One task, a fact a line. */
export function taskLines(task: TaskView & { next?: string }, nowMs: number): string[] {
  const { agent, baseline, last_seen: last, evidence } = task;
  return [
    `task       ${task.task_id}`,
    `turn       ${task.turn_id} (the runtime's own envelope; Herdr gives turns no identity)`,
    `agent      ${oneLine(agent.name ?? agent.pane_id)} in ${agent.pane_id}${agent.kind === null ? '' : ` (${oneLine(agent.kind)})`}`,
    `state      ${task.lifecycle}: ${task.reason}, ${age(nowMs - task.updated_at_ms)} ago`,
    `activity   ${task.activity_observed ? 'seen' : 'not seen'}; before ${baseline.agent_status}${last ? `, last seen ${last.agent_status}` : ''}`,
    `told       ${task.notification_state}${task.acknowledged ? ', acknowledged' : ''}`,
    ...(task.next === undefined ? [] : [`next       ${oneLine(task.next)}`]),
    ...(evidence === null ? [] : ['its last rows:', ...evidence.rows.map((row) => `  ${oneLine(row)}`)]),
  ];
}

/** Rows of an inbox, the heading first. */
export function inboxRows(tasks: readonly InboxTask[], nowMs: number): string[][] {
  return [
    ['TASK', 'STATE', 'AGENT', 'ADVICE', 'ENDED', 'REASON'],
    ...tasks.map((task) => [
      task.task_id,
      task.lifecycle,
      task.agent.name ?? task.agent.pane_id,
      task.attention ?? '',
      task.terminal_at_ms === null ? '' : `${age(nowMs - task.terminal_at_ms)} ago`,
      task.reason,
    ]),
  ];
}

export function summaryLine({ summary }: Pick<TasksAnswer, 'summary'>): string {
  return Object.entries(summary)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
