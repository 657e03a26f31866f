/** The goal of a line of work as its Work Memory checkpoint holds it, and what the supervisor may say about it. */

export const DECISIONS = [
  'COMPLETE',
  'WAIT_EXTERNAL',
  'CONTINUE',
  'ANSWER_DECISION',
  'RECOVER',
  'HANDOFF',
  'ASK_HUMAN',
] as const;
export type Decision = (typeof DECISIONS)[number];

export interface Todo {
  id: string;
  text: string;
  open: boolean;
  /** Who has to do it; what names nobody is the assistant's. */
  owner: 'assistant' | 'person' | 'outside';
  /** Refs that closed it. */
  evidence: readonly string[];
}

export interface Ledger {
  objective: string;
  constraints: readonly string[];
  todos: readonly Todo[];
  /** What was decided, by id: the only answers that may be given to a question of the assistant. */
  decisions: readonly { id: string; text: string }[];
  blockers: readonly string[];
}

/** The checkpoint and what stands around it, as the runtime gave them. */
export interface GoalRead {
  partition: { project_ref: string; repo_id: string; work_chain_id: string };
  revision: number;
  summary: string;
  /** The whole checkpoint: what we do not know in it is written back as it was. */
  content: Readonly<Record<string, unknown>>;
  ledger: Ledger;
  /** Refs that this workstation itself has seen: `herdr_evidence:…`, `herdr_task:…`, `human:…`. */
  observed: readonly string[];
  /** Newest last. */
  turns: readonly { role: 'user' | 'assistant'; text: string }[];
  /** Tasks or agents of this conversation that run now. */
  running: number;
  /** A task of this conversation whose beginning is not known. */
  uncertain: boolean;
}

/** The five signals, each how likely; null: nobody could say. */
export interface Prior {
  can_continue: number;
  needs_human: number;
  waiting_external: number;
  task_completed: number;
  needs_handoff: number;
}

/** What the model said, of the right form; whether it may be followed is another question. */
export interface Said {
  decision: Decision;
  reason: string;
  /** What the model would say. It is looked at, never sent. */
  message: string;
  todoIds: readonly string[];
  evidence: readonly string[];
  closes: readonly { todo: string; evidence: readonly string[] }[];
  decisionRef: string | null;
}

/** A yes/no question, answered with a probability. */
export interface TypedQuestion {
  type: 'noul';
  question: string;
  criteria: { true: string; false: string };
}

/** A question to a chat model. */
export interface Asked {
  system: string;
  user: string;
}
