/** `herdr-mcp agent …`: work for other agents of this workstation, for an agent or a person who sits there. */
import { randomUUID } from 'node:crypto';
import type { InboxTask, TasksAnswer, TaskView } from '../../contract/extension/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { action, group } from '../command.ts';
import { count, given, json } from '../continuity/index.ts';
import { UsageError } from '../exit.ts';
import { type Answer, askMethod } from '../runtime/index.ts';
import { note, readPiped, say, sayJson, table } from '../terminal/index.ts';
import { callersPane } from './parent.ts';
import { inboxRows, summaryLine, taskLines } from './show.ts';
import { skill } from './skill/index.ts';

export { callersPane } from './parent.ts';

const parent = {
  type: 'string',
  description: 'The agent that is told of the end: its name or pane. Default: the pane that this is run in',
} as const;
const task = { type: 'positional', required: true, description: 'The task (d_…)' } as const;

const dispatch = action(
  'dispatch',
  'Send a prompt to an agent once and come back at once',
  {
    target: { type: 'positional', required: true, description: 'The agent: its name or pane' },
    text: { type: 'positional', required: false, description: 'The prompt; - or nothing reads it from the pipe' },
    parent,
    key: { type: 'string', description: 'Idempotency key: the same key and prompt are sent only once' },
    json,
  },
  async (args) => {
    const text = args.text === undefined || args.text === '-' ? await readPiped('prompt') : args.text;
    if (text.trim() === '') throw new UsageError('There is no prompt. Nothing was sent.');
    const key = args.key ?? randomUUID();
    const params = { target: args.target, text, parent_target: await parentOf(args.parent), idempotency_key: key };
    const answer = await askOnce(given(params), key);
    if (args.json) return sayJson(answer);
    say(String(answer.task_id));
    const { lifecycle } = answer.task as { lifecycle: string };
    note(`Sent once (${lifecycle}). Go on; the end comes to: herdr-mcp agent inbox`);
  },
);

const status = action('status', 'What became of one task', { task, json }, async (args) => {
  const answer = await askMethod('herdr_mcp.agent.task.status', { task_id: args.task });
  if (args.json) return sayJson(answer);
  taskLines(answer.task as TaskView & { next: string }, Date.now()).forEach(say);
});

const inbox = action(
  'inbox',
  'Tasks that have ended and were not acknowledged, the worst first',
  {
    parent,
    everybody: { type: 'boolean', description: 'Tasks of every parent, not only of the pane that this is run in' },
    workspace: { type: 'string', description: 'Only agents of this workspace' },
    acknowledged: { type: 'boolean', description: 'Also what was acknowledged' },
    advice: { type: 'boolean', description: 'Ask once what needs attention first, at most 1.5 s' },
    limit: { type: 'string', description: 'How many, at most 512' },
    json,
  },
  async (args) => {
    const answer = await askMethod(
      'herdr_mcp.agent.task.inbox',
      given({
        parent_target: args.everybody ? undefined : await parentOf(args.parent),
        workspace_id: args.workspace,
        include_acknowledged: args.acknowledged,
        advisory: args.advice,
        limit: count(args.limit, '--limit'),
      }),
    );
    if (args.json) return sayJson(answer);
    const { tasks, truncated } = answer as unknown as TasksAnswer;
    note(summaryLine(answer as unknown as TasksAnswer));
    if (tasks.length === 0) return say('Nothing has ended that was not acknowledged.');
    table(inboxRows(tasks, Date.now())).forEach(say);
    for (const line of nextLines(tasks)) note(line);
    if (truncated) note('There are more: --limit');
  },
);

const ack = action(
  'ack',
  'Take note of an end: it leaves the inbox',
  { task, parent: { ...parent, description: 'Only when the task belongs to this agent' }, json },
  async (args) => {
    const params = given({ task_id: args.task, parent_target: args.parent });
    const answer = await askMethod('herdr_mcp.agent.task.ack', params);
    if (args.json) return sayJson(answer);
    say(answer.already === true ? `${args.task} had been acknowledged before` : `${args.task} acknowledged`);
  },
);

export const agent = group('agent', 'Work for other agents of this workstation', {
  dispatch,
  status,
  inbox,
  ack,
  skill,
});

async function parentOf(named: string | undefined): Promise<string | undefined> {
  return named ?? (await callersPane(process.env));
}

/** A lost answer is no lost prompt: the key finds out. */
async function askOnce(params: Answer, key: string): Promise<Answer> {
  try {
    return await askMethod('herdr_mcp.agent.task.dispatch', params);
  } catch (error) {
    if (!(error instanceof LocalError) || error.code !== 'runtime_silent') throw error;
    throw new LocalError(
      error.code,
      error.message,
      `Run the same command again with --key ${key}: it is not sent a second time.`,
      error,
    );
  }
}

function nextLines(tasks: readonly InboxTask[]): string[] {
  return [...new Set(tasks.map(({ lifecycle, next }) => `${lifecycle}: ${next}`))];
}
