/**
 * The order of test files: who takes longest begins first, or the run ends with one worker that is still at it. Long ones
 * mostly wait, short ones mostly work: so the first half of a run has a place for everybody, and the second fills both cores.
 */
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Below test/, without their endings, by what they took on a busy machine, most first; each took 20 s or more. A fresh clone
 * knows no durations, and the size of these files says nothing of how long real processes take.
 */
export const LONGEST = [
  'e2e/start',
  'runtime-a-b/generations/promotion',
  'scripts/deploy',
  'e2e/deployed',
  'extension/sites/plain',
  'extension/browser/recovery',
  'extension/browser/webchat',
  'scripts/cutover',
  'embedded-herdr/conformance/prompting',
  'embedded-herdr/conformance/agents',
  'extension/browser/continuity',
  'extension/browser/panel',
  'e2e/ending',
  'extension/browser/page',
  'link/large-results',
  'runtime-a-b/tools-agents/terminal',
  'runtime-a-b/generations/supervisor',
  'extension/browser/bridge',
  'extension/browser/worker',
  'extension/chatgpt/adapter',
  'extension/chatgpt/read',
  'extension/chatgpt/cards',
  'runtime-a-b/tasks/agents',
  'cli/killed',
  'extension/browser/surfaces',
  'extension/recovery/worker',
  'extension/browser/handoff',
  'edge/auth/clients',
  'runtime-a-b/tasks/looks',
  'extension/browser/wake',
  'e2e/installation',
  'runtime-a-b/generations/killed',
  'edge/control/control',
  'extension/browser/auto',
  'runtime-a-b/tasks/survive',
  'e2e/rehearse',
  'cli/command',
  'e2e/demo',
  'edge/workstation/handshake',
  'extension/sites/bridge',
  'extension/browser/edge-pages',
  'runtime-a-b/http/extension/push',
  'edge/semantic/semantic',
  'edge/workstation/survival',
  'cli/fleet',
  'edge/auth/approval',
  'e2e/up',
  'extension/browser/summary',
  'edge/mcp/dispatch-status',
  'runtime-a-b/tools-methods/call',
  'runtime-a-b/tasks/inbox',
  'edge/workstation/calls',
  'embedded-herdr/place',
  'embedded-herdr/conformance/load',
  'runtime-a-b/skills/uat',
  'runtime-a-b/tasks/parents',
];

const RANK = new Map(LONGEST.map((name, rank) => [join(import.meta.dirname, `${name}.test.ts`), rank]));

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => RANK.get(moduleId) ?? LONGEST.length;
    const sorted = await super.sort(files); // stable below: what base puts first stays first
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
