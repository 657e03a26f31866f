/** The inbox of a conversation, and acknowledging what it was really told (`contract/extension/tasks.ts`). */
import * as Value from 'typebox/value';
import { ResourceRef, type TaskAckAnswer, TaskAckRequest } from '../../../contract/extension/index.ts';
import { INBOX_MAX, type Tasks } from '../../tasks/index.ts';
import { readBody, readObject } from '../body.ts';
import { problem } from '../problem.ts';

export type TaskDoor = Pick<Tasks, 'inboxOf' | 'acknowledgeFor'>;

/** Tasks in one answer when the query names no number (reference: extension 2.6). */
const LIMIT_DEFAULT = 64;
/** An ack is two ids. */
const ACK_BODY_BYTES = 4_096;

const NO_STORE = { headers: { 'cache-control': 'no-store' } };

export async function agentTasks(url: URL, tasks: TaskDoor): Promise<Response> {
  const query = url.searchParams;
  const session = query.get('parent_session_ref') ?? '';
  if (!Value.Check(ResourceRef, session)) {
    return problem(400, 'invalid_params', 'parent_session_ref names no conversation: br_ and 64 hex digits.');
  }
  const limit = Number(query.get('limit') ?? LIMIT_DEFAULT);
  if (!Number.isInteger(limit) || limit < 1 || limit > INBOX_MAX) {
    return problem(400, 'invalid_params', `limit is a whole number from 1 to ${INBOX_MAX}.`);
  }
  const workspaceId = query.get('workspace_id');
  const answer = await tasks.inboxOf(session, {
    ...(workspaceId ? { workspaceId } : {}),
    limit,
    includeAcknowledged: query.get('include_acknowledged') === 'true',
    advisory: query.get('advisory') !== 'false',
  });
  return Response.json(answer, NO_STORE);
}

export async function acknowledgeTask(request: Request, tasks: TaskDoor): Promise<Response> {
  const bytes = await readBody(request, ACK_BODY_BYTES);
  if (!bytes) return problem(413, 'payload_too_large', `A body has at most ${ACK_BODY_BYTES} bytes.`);
  const body = readObject(bytes);
  if (!Value.Check(TaskAckRequest, body)) return problem(400, 'invalid_params', 'The body does not fit this route.');
  const outcome = tasks.acknowledgeFor(body.parent_session_ref, body.task_id);
  if (outcome === 'acknowledged' || outcome === 'already') {
    const answer: TaskAckAnswer = { ok: true, task_id: body.task_id, already: outcome === 'already' };
    return Response.json(answer, NO_STORE);
  }
  return Response.json({ ok: false, ...REFUSED[outcome] }, NO_STORE);
}

const REFUSED = {
  not_found: { code: 'agent_task_not_found', message: 'No task with this id is known here. Nothing was acknowledged.' },
  parent_mismatch: {
    code: 'agent_task_parent_mismatch',
    message: 'The task belongs to another parent. Nothing was acknowledged.',
  },
  not_terminal: { code: 'agent_task_not_terminal', message: 'The task has not ended. Nothing was acknowledged.' },
} as const;
