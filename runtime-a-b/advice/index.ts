/**
 * The advisers. Each starts from facts that the runtime knows without any model, asks the semantic service at most once
 * and for a bounded time, and is complete without an answer. What was scored stands beside the facts: it never gates a
 * safe action nor unlocks an unsafe one, and it never makes a list of checks shorter.
 */
import type { Semantic } from '../semantic/index.ts';
import { type Assessment, askAttention, type Child } from './attention.ts';

export { adviceMethods } from './methods.ts';
export type { FindTask } from './validation.ts';

/** What the inbox asks; see `tasks/adviser.ts`. */
export interface AttentionAdviser {
  attention(
    children: readonly Child[],
    budget: { budgetMs: number; signal: AbortSignal },
  ): Promise<
    { used: false; reason: string } | { used: true; assessments: readonly Assessment[]; ranking: readonly string[] }
  >;
}

/** Never rejects: "not configured" and "too slow" are answers. */
export function createAdviser(semantic: Semantic): AttentionAdviser {
  return { attention: (children, budget) => askAttention(semantic, children, budget) };
}
