/**
 * `verifies('id', …)` inside a test says which promises of test/requirements.ts that test shows. It counts only when
 * the test ran and passed: the ids travel in the test's meta to the reporter, which knows the outcome.
 */
import { TestRunner } from 'vitest';
import type { RequirementId } from './requirements.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: string[];
  }
}

export function verifies(...ids: RequirementId[]): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('verifies() belongs inside a running test');
  const meta = test.meta as { verifies?: string[] };
  meta.verifies = [...(meta.verifies ?? []), ...ids];
}
