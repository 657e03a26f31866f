/**
 * Agent tasks on the extension's socket, for the conversation that owns them.
 *
 * | route | request | answer |
 * |---|---|---|
 * | `GET /extension/agent/tasks` | query {@link TasksQuery} | {@link TasksAnswer} |
 * | `POST /extension/agent/tasks/ack` | {@link TaskAckRequest} | {@link TaskAckAnswer}, or `{ok: false, code, message}` |
 *
 * The inbox decides, not the event: `/push/events` says `agent_task` ({@link AgentTaskEvent}) when a task has become
 * terminal, and the inbox is read then. A task is acknowledged only after the message made from it was really sent. While
 * `settling` is above 0 the agent of one of this conversation's tasks has just settled and is being looked at once more:
 * no generic wake for its pane; the `agent_task` event follows within two seconds, unless the agent goes on working.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { closed } from './operation.ts';
import { ResourceRef } from './registry.ts';

export const LIFECYCLES = [
  'awaiting_activity',
  'awaiting_prior_settle',
  'running',
  'completed',
  'blocked',
  'failed',
  'delivery_uncertain',
] as const;
/**
 * `completed`: activity was seen and then the agent settled; it is no proof of success. `blocked`: it asks for a decision.
 * `failed`: the agent left (exit, crash, pane closed, replaced). `delivery_uncertain`: whether the turn began is not known.
 */
export type Lifecycle = (typeof LIFECYCLES)[number];

const TERMINAL: ReadonlySet<Lifecycle> = new Set(['completed', 'blocked', 'failed', 'delivery_uncertain']);
/** Whether a task has ended for good; a terminal task never changes again. */
export const isTerminal = (lifecycle: Lifecycle): boolean => TERMINAL.has(lifecycle);

export const ATTENTION_STATES = [
  'verify_completion',
  'continue_unobserved',
  'needs_human',
  'blocked_external',
  'investigate_drift',
  'unclear',
] as const;
/** A model's guess about one child. Advice: it changes no task and never decides whether anybody is woken. */
export type AttentionState = (typeof ATTENTION_STATES)[number];

/** Query of `GET /extension/agent/tasks`; all values are text there. `advisory` is `true` unless it says `false`. */
export interface TasksQuery {
  parent_session_ref: string;
  workspace_id?: string;
  /** 1 to 512; default 64. */
  limit?: number;
  include_acknowledged?: boolean;
  /** Asks for advice, at most 1.5 s; the answer is complete without it. */
  advisory?: boolean;
}

/** One task as everybody sees it. Times are ms since 1970. */
export interface TaskView {
  task_id: string;
  dispatch_id: string;
  turn_id: string;
  /** Herdr gives turns no identity; the runtime's `turn_id` is an envelope around what was seen. */
  exact_native_turn: false;
  target: string;
  agent: { name: string | null; kind: string | null; pane_id: string; workspace_id: string };
  lifecycle: Lifecycle;
  terminal: boolean;
  /** Why it stands where it stands: `settled_after_activity`, `activity_start_timeout`, `agent_exited`, … */
  reason: string;
  activity_observed: boolean;
  prior_settle_observed: boolean;
  baseline: { agent_status: string; state_change_seq: number | null };
  last_seen: { agent_status: string; state_change_seq: number | null; at_ms: number } | null;
  /** The last rows of the agent's screen when the task ended: what was seen, not a result. */
  evidence: { rows: string[]; at_ms: number } | null;
  terminal_status: string | null;
  terminal_event_id: string | null;
  terminal_at_ms: number | null;
  acknowledged: boolean;
  notification_state: 'none' | 'pending' | 'in_flight' | 'delivered' | 'uncertain' | 'acknowledged';
  created_at_ms: number;
  updated_at_ms: number;
}

/** A task in the inbox, with what to do about it. `attention` is there only when advice was given. */
export interface InboxTask extends TaskView {
  next: string;
  attention?: AttentionState;
}

export interface TaskSummary {
  running: number;
  completed: number;
  blocked: number;
  failed: number;
  uncertain: number;
}

/** What became of the question for advice. `used: false` with a reason is a normal answer. */
export interface AttentionView {
  attempted: boolean;
  used: boolean;
  reason?: string;
  advisory_only: true;
  children: { id: string; task_id: string }[];
  /** `next` is the step that fits the state. */
  assessments: { id: string; task_id: string; state: AttentionState; confidence: number | null; next: string }[];
  /** Ids of children, most urgent first; empty without advice. */
  attention_ranking: string[];
  metrics: { child_count: number; elapsed_ms: number; budget_ms: number };
}

export interface TasksAnswer {
  ok: true;
  /** Terminal and not acknowledged: failed, uncertain, blocked, completed, then the newest first. */
  tasks: InboxTask[];
  /** `running` counts what is not terminal; the others what is terminal and not acknowledged. */
  summary: TaskSummary;
  settling: number;
  attention: AttentionView;
  /** More tasks exist than `limit` let through. */
  truncated: boolean;
}

/** Body of `POST /extension/agent/tasks/ack`. */
export const TaskAckRequest = Type.Object(
  { task_id: Type.String({ minLength: 1, maxLength: 128 }), parent_session_ref: ResourceRef },
  closed,
);
export type TaskAckRequest = Static<typeof TaskAckRequest>;

export interface TaskAckAnswer {
  ok: true;
  task_id: string;
  /** True when it had been acknowledged before: nothing changed. */
  already: boolean;
}

/** `event: agent_task` of `/push/events`, and of a replay. A task without a browser parent has `parent_session_ref: null`. */
export interface AgentTaskEvent {
  task_id: string;
  lifecycle: Lifecycle;
  parent_session_ref: string | null;
  pane: string;
  workspace: string;
  at: number;
}
