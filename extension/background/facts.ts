/** What the runtime says, read into what the decisions take. A shape that does not fit is no answer. Pure. */

import type { TasksAnswer } from '../../contract/extension/index.ts';
import { isObject } from '../../contract/json.ts';
import type { Fresh } from '../machines/worker/index.ts';

export function freshOf(body: unknown): Fresh | null {
  if (!isObject(body) || typeof body['boot_id'] !== 'string' || !isObject(body['herdr'])) return null;
  const { state, server } = body['herdr'];
  const workspaces = list(body['workspaces']).map((one) => ({ id: text(one['id']), label: text(one['label']) }));
  const agents = list(body['agents']).map((one) => ({
    pane: text(one['pane']),
    terminal: text(one['terminal_id']),
    name: textOrNull(one['name']),
    agent: textOrNull(one['agent']),
    status: text(one['status']),
    workspace: text(one['workspace']),
    cwd: textOrNull(one['cwd']),
    terminal_title: textOrNull(one['terminal_title']),
    seq: typeof one['seq'] === 'number' ? one['seq'] : null,
    last_activity_at: typeof one['last_activity_at'] === 'number' ? one['last_activity_at'] : 0,
  }));
  return { boot: body['boot_id'], herdr: text(state), server: textOrNull(server), workspaces, agents };
}

export function inboxOf(body: unknown): TasksAnswer | null {
  if (!isObject(body) || body['ok'] !== true || !Array.isArray(body['tasks']) || !isObject(body['summary']))
    return null;
  return body as unknown as TasksAnswer;
}

/** The text of a pane that `herdr_call pane.read` gave over MCP. */
export function paneTextOf(body: unknown): string | null {
  const result = callAnswerOf(body)?.['result'];
  const read = isObject(result) ? result['read'] : null;
  return isObject(read) && typeof read['text'] === 'string' ? read['text'] : null;
}

/** What a `herdr_call` answered over MCP; null: it failed, or that is no answer. Herdr's own methods have a `result` in it. */
export function callAnswerOf(body: unknown): Record<string, unknown> | null {
  if (!isObject(body) || !isObject(body['result'])) return null;
  const [content] = list(body['result']['content']);
  if (!content) return null;
  try {
    const answer: unknown = JSON.parse(text(content['text']));
    return isObject(answer) && answer['ok'] === true ? answer : null;
  } catch {
    return null;
  }
}

const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
