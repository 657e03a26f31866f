/**
 * What Auto asks of the runtime: which small models there are, a typed question, a short chat, the goal of a line of work,
 * and writing that goal back. No answer is an answer: nobody knows. What a provider says is looked at by the decisions.
 */

import { isObject } from '../../contract/json.ts';
import type { Question } from '../../contract/semantic/index.ts';
import { type GoalRead, ledgerOf, type Services } from '../machines/auto/index.ts';
import { callAnswerOf } from './facts.ts';
import { ADVICE_BEYOND_MS, GOAL_TURNS, REQUEST_MS } from './limits.ts';
import type { NativePort } from './native.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface AdviceDoor {
  /** Null: the runtime does not say. */
  services(): Promise<Services | null>;
  evaluate(state: string, questions: Readonly<Record<string, Question>>, timeoutMs: number): Promise<unknown>;
  chat(asked: { system: string; user: string }, timeoutMs: number): Promise<unknown>;
  /** Null: the conversation is not goal-aware. `unknown`: that cannot be told now. */
  goal(about: GoalPlace): Promise<GoalRead | null | 'unknown'>;
  /** Writes the goal's section under compare-and-set; a newer checkpoint, or an answer that is not journaled, wins. */
  putGoal(goal: GoalRead, section: Readonly<Record<string, unknown>>, anchor: string): Promise<boolean>;
}

export interface GoalPlace {
  conversation: string;
  continuityId: string | null;
  session: string | null;
  workspaces: readonly string[];
}

type Parts = { native: Pick<NativePort, 'request'>; runtime: Pick<RuntimeDoor, 'fresh' | 'inbox'> };

export function createAdvice({ native, runtime }: Parts): AdviceDoor {
  async function post(path: string, body: unknown, timeoutMs: number): Promise<Record<string, unknown> | null> {
    const answer = await native.request({ method: 'POST', path, body, timeoutMs });
    return answer.ok && answer.status === 200 && isObject(answer.body) && answer.body['ok'] === true
      ? answer.body
      : null;
  }

  async function call(method: string, params: Readonly<Record<string, unknown>>) {
    const given = { name: 'herdr_call', arguments: { method, params: JSON.stringify(params) } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
    const answer = await native.request({ method: 'POST', path: '/mcp', body, timeoutMs: REQUEST_MS.goal });
    // A refusal is an answer; silence is none.
    return answer.ok && answer.status === 200 ? callAnswerOf(answer.body) : 'unknown';
  }

  return {
    async services() {
      const path = '/extension/semantic/status';
      const answer = await native.request({ method: 'GET', path, timeoutMs: REQUEST_MS.services });
      if (!answer.ok || answer.status !== 200 || !isObject(answer.body)) return null;
      const { evaluate_available: evaluate, chat_available: chat } = answer.body;
      return { evaluate: evaluate === true, chat: chat === true };
    },
    async evaluate(state, questions, timeoutMs) {
      const body = { state: plain(state), questions, timeout_ms: timeoutMs };
      const told = await post('/extension/semantic/evaluate', body, timeoutMs + ADVICE_BEYOND_MS);
      return told?.['answers'] ?? null;
    },
    async chat({ system, user }, timeoutMs) {
      const messages = [
        { role: 'system', content: plain(system) },
        { role: 'user', content: plain(user) },
      ];
      const body = { messages, timeout_ms: timeoutMs };
      const told = await post('/extension/semantic/chat', body, timeoutMs + ADVICE_BEYOND_MS);
      return told?.['content'] ?? null;
    },
    async goal({ conversation, continuityId, session, workspaces }) {
      if (continuityId === null) return null;
      const found = await call('continuity.search', { conversation_url: conversation });
      if (found === 'unknown') return 'unknown';
      const partition = partitionOf(found, continuityId);
      if (partition === null) return null;
      const [memory, fresh, inbox] = await Promise.all([
        call('work_memory.resume', { ...partition, max_turns: GOAL_TURNS }),
        runtime.fresh(),
        session === null ? Promise.resolve('none' as const) : runtime.inbox(session, null),
      ]);
      // Who does not know what runs must not say that nothing does.
      if (memory === null) return null;
      if (memory === 'unknown' || fresh === null || inbox === null) return 'unknown';
      const tasks = inbox === 'none' ? [] : inbox.tasks;
      const agents = fresh.agents.filter((one) => one.status === 'working' && workspaces.includes(one.workspace));
      const running = inbox === 'none' ? agents.length : Math.max(agents.length, inbox.summary.running);
      return goalOf(partition, memory, tasks, running);
    },
    async putGoal({ partition, revision, summary, content }, section, anchor) {
      const before = content['goal_supervisor'];
      // A goal that the planner keeps in its own words stays the planner's.
      if (!isObject(before)) return false;
      const told = await call('work_memory.checkpoint.put', {
        ...partition,
        expected_checkpoint_revision: revision,
        summary,
        checkpoint_json: JSON.stringify({ ...content, goal_supervisor: { ...before, ...section } }),
        through_message_id: anchor,
      });
      return told !== null && told !== 'unknown';
    },
  };
}

/** The one chain that exactly this conversation leads to, when it is the binding's own; its partition, when it has one. */
export function partitionOf(found: Record<string, unknown> | null, continuityId: string): GoalRead['partition'] | null {
  if (found === null || found['resolution'] !== 'unique_exact') return null;
  const [only, ...more] = rows(found['candidates']);
  if (!only || more.length > 0 || only['continuity_id'] !== continuityId || !isObject(only['work_memory'])) return null;
  const { project_ref, repo_id, work_chain_id } = only['work_memory'];
  const complete = [project_ref, repo_id, work_chain_id].every((name) => typeof name === 'string' && name !== '');
  return complete
    ? { project_ref: String(project_ref), repo_id: String(repo_id), work_chain_id: String(work_chain_id) }
    : null;
}

/** A verified checkpoint with a goal, and what this workstation has seen beside it. */
export function goalOf(
  partition: GoalRead['partition'],
  memory: Record<string, unknown>,
  tasks: readonly { task_id: string; lifecycle: string }[],
  running: number,
): GoalRead | null {
  const { checkpoint } = memory;
  if (!isObject(checkpoint) || checkpoint['verified'] !== true || !isObject(checkpoint['content'])) return null;
  const { checkpoint_revision: revision, summary, content } = checkpoint;
  const ledger = ledgerOf(content as Record<string, unknown>);
  if (ledger === null || typeof revision !== 'number' || typeof summary !== 'string') return null;
  const turns = rows(memory['turns']).flatMap(({ role, text }) =>
    (role === 'user' || role === 'assistant') && typeof text === 'string' ? [{ role, text } as const] : [],
  );
  const evidence = rows(memory['evidence']).map(({ evidence_id }) => `herdr_evidence:${evidence_id}`);
  const done = tasks.filter(({ lifecycle }) => lifecycle === 'completed').map(({ task_id }) => `herdr_task:${task_id}`);
  const people = rows(memory['turns']).flatMap(({ role, message_id }) =>
    role === 'user' && typeof message_id === 'string' ? [`human:${message_id}`] : [],
  );
  return {
    partition,
    revision,
    summary,
    content: content as Record<string, unknown>,
    ledger,
    observed: [...evidence, ...done, ...people],
    turns,
    running,
    uncertain: tasks.some(({ lifecycle }) => lifecycle === 'delivery_uncertain'),
  };
}

/** Characters that the question's schema refuses become blanks; an empty text is asked as one. */
function plain(text: string): string {
  const said = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Cs}]/gu, ' ');
  return said.trim() === '' ? '-' : said;
}

const rows = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);
