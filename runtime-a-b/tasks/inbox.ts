/**
 * The inbox: what has ended and was not acknowledged, the worst first, with what is still open counted. It is complete by
 * itself. With advice up to {@link ADVISED_MAX} children are frozen and judged in one question; an answer that is late,
 * wrong or absent changes nothing here.
 */
import type { SQL } from 'drizzle-orm/sql';
import type { AttentionState, AttentionView, InboxTask, TasksAnswer } from '../../contract/extension/tasks.ts';
import type { Log } from '../../local/log/index.ts';
import type { Adviser, AttentionAdvice, AttentionChild } from './adviser.ts';
import { ADVICE_MS, ADVISED_MAX, AGE_MS_MAX, RECENT_CHARS } from './limits.ts';
import { nextStep } from './next-step.ts';
import { shownLifecycle, type TaskRow } from './row.ts';
import type { TaskStore } from './store.ts';
import { evidenceOf, taskView } from './view.ts';

export interface InboxQuestion {
  scope: SQL | undefined;
  workspaceId?: string | undefined;
  limit: number;
  includeAcknowledged: boolean;
  advisory: boolean;
}

export interface InboxParts {
  store: TaskStore;
  adviser: Adviser;
  nowMs: () => number;
  log: Log;
}

export async function readInbox(question: InboxQuestion, parts: InboxParts): Promise<TasksAnswer> {
  const { scope, workspaceId, limit, includeAcknowledged } = question;
  const found = parts.store.list(scope, workspaceId, limit + 1, includeAcknowledged);
  const rows = found.slice(0, limit);
  const open = parts.store.openOf(scope, workspaceId);
  const counts = parts.store.counts(scope, workspaceId);
  const waiting = rows.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const attention =
    question.advisory && waiting.length > 0
      ? await advised([...waiting, ...open].slice(0, ADVISED_MAX), parts)
      : notAsked(question.advisory ? 'nothing_terminal' : 'not_asked');
  const stateOf = new Map(attention.assessments.map(({ task_id, state }) => [task_id, state]));
  return {
    ok: true,
    tasks: rows.map((row) => inboxTask(row, stateOf.get(row.taskId))),
    summary: {
      running: open.length,
      completed: counts.get('completed') ?? 0,
      blocked: counts.get('blocked') ?? 0,
      failed: counts.get('failed') ?? 0,
      uncertain: counts.get('delivery_uncertain') ?? 0,
    },
    settling: open.filter(({ settlingSince, lifecycle }) => settlingSince !== null && lifecycle === 'running').length,
    attention,
    truncated: found.length > limit,
  };
}

function inboxTask(row: TaskRow, attention: AttentionState | undefined): InboxTask {
  const view = taskView(row);
  return { ...view, next: nextStep(view.lifecycle, attention), ...(attention ? { attention } : {}) };
}

/** Freezes the children, asks once, and waits no longer than the budget, whatever the adviser does. */
async function advised(rows: readonly TaskRow[], { adviser, nowMs, log }: InboxParts): Promise<AttentionView> {
  const startedAt = nowMs();
  const children = rows.map((row, i) => childOf(row, i, startedAt));
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AttentionAdvice>((resolve) => {
    timer = setTimeout(() => resolve({ used: false, reason: 'timeout' }), ADVICE_MS);
  });
  const asked = ask(adviser, children, abort.signal, log);
  const advice = await Promise.race([asked, late]);
  clearTimeout(timer);
  abort.abort();
  const metrics = { child_count: children.length, elapsed_ms: nowMs() - startedAt, budget_ms: ADVICE_MS };
  const named = children.map(({ id, task_id }) => ({ id, task_id }));
  const frame = { attempted: true, advisory_only: true as const, children: named, metrics };
  if (!advice.used) return { ...frame, used: false, reason: advice.reason, assessments: [], attention_ranking: [] };
  const byId = new Map(children.map((child, i) => [child.id, rows[i] as TaskRow]));
  return {
    ...frame,
    used: true,
    assessments: advice.assessments.flatMap(({ id, state, confidence }) => {
      const row = byId.get(id);
      if (!row) return [];
      return [{ id, task_id: row.taskId, state, confidence, next: nextStep(shownLifecycle(row), state) }];
    }),
    attention_ranking: advice.ranking.filter((id) => byId.has(id)),
  };
}

async function ask(
  adviser: Adviser,
  children: readonly AttentionChild[],
  signal: AbortSignal,
  log: Log,
): Promise<AttentionAdvice> {
  try {
    return await adviser.attention(children, { budgetMs: ADVICE_MS, signal });
  } catch (error) {
    log.warn({ err: error }, 'an adviser failed; the inbox goes without its advice');
    return { used: false, reason: 'error' };
  }
}

function childOf(row: TaskRow, index: number, nowMs: number): AttentionChild {
  const recent = (evidenceOf(row)?.rows ?? []).join('\n');
  return {
    id: `child_${index + 1}`,
    task_id: row.taskId,
    agent_id: (row.agentName ?? row.paneId).slice(0, 256),
    terminal_state: shownLifecycle(row),
    status: row.lastStatus ?? 'unknown',
    recent_text: recent.slice(-RECENT_CHARS),
    age_ms: Math.min(Math.max(nowMs - row.createdAt, 0), AGE_MS_MAX),
  };
}

function notAsked(reason: string): AttentionView {
  return {
    attempted: false,
    used: false,
    reason,
    advisory_only: true,
    children: [],
    assessments: [],
    attention_ranking: [],
    metrics: { child_count: 0, elapsed_ms: 0, budget_ms: ADVICE_MS },
  };
}
