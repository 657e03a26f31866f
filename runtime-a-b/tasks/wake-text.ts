/** The one message that tells a local parent what its children came to. Pure. */
import type { InboxTask, TasksAnswer } from '../../contract/extension/tasks.ts';
import { WAKE_CHARS } from './limits.ts';

/** Everything that must not be cut away stands at both ends; tasks that do not fit are counted. */
export function wakeText({ tasks, summary }: Pick<TasksAnswer, 'tasks' | 'summary'>): string {
  const head = `Agent tasks that you dispatched have ended (${tasks.length}). Of all of yours: ${counted(summary)}.`;
  const tail = [
    'A settled agent is no proof of success: judge by Git and by the checks that ran. Advice is a guess; the lifecycle is what was seen.',
    'Do not dispatch an ended or uncertain task again before you have looked. When you have dealt with a task: herdr-mcp agent ack <task id>.',
  ];
  const room = WAKE_CHARS - head.length - tail.join('\n').length - 200;
  const lines: string[] = [];
  let used = 0;
  for (const task of tasks) {
    const line = taskLine(task);
    if (used + line.length + 1 > room) break;
    lines.push(line);
    used += line.length + 1;
  }
  const left = tasks.length - lines.length;
  if (left > 0) lines.push(`- and ${left} more: herdr-mcp agent inbox`);
  return [head, ...lines, ...tail].join('\n');
}

function counted(summary: TasksAnswer['summary']): string {
  return Object.entries(summary)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

function taskLine(task: InboxTask): string {
  const who = task.agent.name ?? task.agent.pane_id;
  const advice = task.attention === undefined ? '' : ` (advice: ${task.attention})`;
  return `- ${task.task_id} ${task.lifecycle}${advice}: ${who}, turn ${task.turn_id}, ${task.reason}. ${task.next}`;
}
