/** The words of every message that we send. The same facts give the same text. Pure. */
import { type InboxTask, isTerminal, type TasksAnswer } from '../../../contract/extension/tasks.ts';
import { type Language, say } from '../../../look/words/index.ts';
import {
  FOLDER_CHARS_MAX,
  OUTPUT_CHARS_MAX,
  ROSTER_CHARS_MAX,
  TASKS_MESSAGE_CHARS_MAX,
  TASKS_TOLD_MAX,
  TITLE_CHARS_MAX,
} from './limits.ts';
import { defaultTemplate, fill } from './template.ts';

/** An agent of a workspace as `/push/state` gives it. */
export interface RosterAgent {
  pane: string;
  name: string | null;
  agent: string | null;
  status: string;
  workspace: string;
  cwd: string | null;
  terminal_title: string | null;
}

export interface WorkspaceFacts {
  id: string;
  label: string;
  agents: readonly RosterAgent[];
}

/** The settled wake: what ended, who is there, and what the planner has to do. `own`: the words of the person, if any. */
export function settledText(
  language: Language,
  own: string | null,
  workspace: WorkspaceFacts,
  ended: readonly { pane: string; name: string; status: string }[],
  missed: boolean,
): string {
  const working = countWorking(workspace);
  const label = labelOf(workspace);
  const head = say(language, 'wake', working > 0 ? 'partialHead' : 'roundHead', { label, working });
  const panes = ended.map(({ pane, name, status }) => `- ${oneLine(name, TITLE_CHARS_MAX)} (${pane}): ${status}`);
  return fill(own ?? defaultTemplate(language, 'settled'), {
    state: missed ? `${head}\n${say(language, 'wake', 'missed')}` : head,
    ended: panes.join('\n'),
    agents: roster(language, workspace),
    workspace: label,
    working: String(working),
  });
}

export function progressText(
  language: Language,
  own: string | null,
  workspace: WorkspaceFacts,
  output: string,
  repeat: boolean,
): string {
  const working = countWorking(workspace);
  const label = labelOf(workspace);
  return fill(own ?? defaultTemplate(language, 'progress'), {
    state: say(language, 'wake', repeat ? 'progressStill' : 'progressHead', { label, working }),
    output: quoted(output),
    agents: roster(language, workspace),
    workspace: label,
    working: String(working),
  });
}

/** A first message, sent by hand to see that the way works: it asks for nothing but an answer. */
export function trialText(language: Language, workspaces: readonly WorkspaceFacts[]): string {
  const parts = workspaces.flatMap((one) => [roster(language, one), '']);
  const [head, task] = [say(language, 'wake', 'trialHead'), say(language, 'wake', 'trialTask')];
  return [head, '', say(language, 'wake', 'checkHead'), '', ...parts, task].join('\n');
}

/** A person's own words as a site takes them unchanged; null: there are none. */
export function ownWords(text: string | null, limit: number): string | null {
  const words = (text ?? '').replace(/\r\n?/g, '\n').replace(CONTROLS, ' ').trim().slice(0, limit);
  return words === '' ? null : words;
}

/** Check Herdr: the state as it is, then the continuation. */
export function checkText(language: Language, workspaces: readonly WorkspaceFacts[], message: string): string {
  const parts = workspaces.map((one) => roster(language, one));
  return [say(language, 'wake', 'checkHead'), '', ...parts.flatMap((part) => [part, '']), message].join('\n');
}

export function continueText(language: Language, own: string | null): string {
  return own ?? say(language, 'wake', 'continueDefault');
}

/** What the inbox holds for this conversation. Lifecycle is authority, attention is advice. */
export function tasksText(language: Language, { tasks, summary }: Pick<TasksAnswer, 'tasks' | 'summary'>): string {
  const told = toldTasks(tasks);
  const head = say(language, 'wake', 'tasksHead', { ...summary });
  const tail = ['', say(language, 'wake', 'tasksCaution')];
  const lines = told.map(taskLine);
  return cut([head, '', ...lines].join('\n'), TASKS_MESSAGE_CHARS_MAX - tail.join('\n').length) + tail.join('\n');
}

/** The tasks that a message names: only those that have ended and were not acknowledged. */
export function toldTasks(tasks: readonly InboxTask[]): InboxTask[] {
  return tasks.filter((task) => isTerminal(task.lifecycle) && !task.acknowledged).slice(0, TASKS_TOLD_MAX);
}

function taskLine(task: InboxTask): string {
  const attention = task.attention === undefined ? '' : `, attention ${task.attention}`;
  const { agent } = task;
  const name = oneLine(agent.name ?? agent.kind ?? agent.pane_id, TITLE_CHARS_MAX);
  return `- ${task.task_id}: ${task.lifecycle} (${task.reason}) – ${name} ${agent.pane_id}, turn ${task.turn_id}${attention}. ${oneLine(task.next, 300)}`;
}

function roster(language: Language, workspace: WorkspaceFacts): string {
  const head = say(language, 'wake', 'rosterHead', { label: labelOf(workspace) });
  if (workspace.agents.length === 0) return `${head}\n${say(language, 'wake', 'rosterEmpty')}`;
  const lines = workspace.agents.map(({ pane, name, agent, status, terminal_title, cwd }) => {
    const title = terminal_title === null ? '' : ` – ${oneLine(terminal_title, TITLE_CHARS_MAX)}`;
    const folder = cwd === null ? '' : ` [${oneLine(shortFolder(cwd), FOLDER_CHARS_MAX)}]`;
    return `- ${pane} ${oneLine(name ?? agent ?? '?', TITLE_CHARS_MAX)}: ${status}${title}${folder}`;
  });
  return cut([head, ...lines].join('\n'), ROSTER_CHARS_MAX);
}

const labelOf = ({ label, id }: WorkspaceFacts): string => `${oneLine(label, TITLE_CHARS_MAX)} (${id})`;

const countWorking = ({ agents }: WorkspaceFacts): number => agents.filter(({ status }) => status === 'working').length;

/** The end of the output, each line marked, so that nothing in it reads as our own words. */
function quoted(output: string): string {
  return output
    .slice(-OUTPUT_CHARS_MAX)
    .replace(CONTROLS, '')
    .split('\n')
    .map((line) => `> ${line.trimEnd()}`)
    .join('\n');
}

/**
 * Control characters except the line end, everything else that ends a line, what turns the direction of text or cannot be
 * seen, and halves of characters that a cut has left: a site would change those, and the message would not be known again.
 */
// biome-ignore lint/complexity/useRegexLiterals: control characters are named, not typed
const CONTROLS = new RegExp(
  '[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\u{e0000}-\\u{e007f}\\p{Cs}]',
  'gu',
);

function oneLine(text: string, limit: number): string {
  return cut(text.replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim(), limit);
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(CONTROLS, '')}…`;
}

/** Without the person's own name, and only its end. */
function shortFolder(path: string): string {
  const short = path.replace(/^\/(?:home|Users)\/[^/]+/, '~');
  return short.length <= FOLDER_CHARS_MAX ? short : `…${short.slice(-(FOLDER_CHARS_MAX - 1))}`;
}
