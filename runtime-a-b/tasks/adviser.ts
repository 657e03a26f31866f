/**
 * The port to whoever can judge what needs attention (`agent.attention.advise`). The inbox freezes its children, asks once,
 * waits at most 1.5 s and is complete without an answer. An adviser never rejects for a reason of its own:
 * "not configured" and "too slow" are answers.
 */
import type { AttentionState } from '../../contract/extension/tasks.ts';

/** One child as it stood when the question was frozen. Bounds are those of the method's parameters. */
export interface AttentionChild {
  /** `child_1`, `child_2`, … in the order of the question. */
  id: string;
  task_id: string;
  agent_id: string;
  /** The task's lifecycle; a sibling that still runs is among the children too. */
  terminal_state: string;
  /** The agent's status as last seen. */
  status: string;
  /** The last rows of its screen. */
  recent_text: string;
  age_ms: number;
}

export type AttentionAdvice =
  | { used: false; reason: string }
  | {
      used: true;
      assessments: readonly { id: string; state: AttentionState; confidence: number | null }[];
      /** Ids of children, most urgent first. */
      ranking: readonly string[];
    };

export interface Adviser {
  /** `signal` is aborted when the time is up; what comes later is not looked at. */
  attention(
    children: readonly AttentionChild[],
    budget: { budgetMs: number; signal: AbortSignal },
  ): Promise<AttentionAdvice>;
}

/** What there is without a semantic service. */
export const NO_ADVISER: Adviser = { attention: async () => ({ used: false, reason: 'not_configured' }) };
