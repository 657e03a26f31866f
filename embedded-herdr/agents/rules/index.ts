/**
 * Screen rules as data, one file an agent: what its screen shows while it works and while it waits for a person. They
 * are strict about `blocked`: a prompt that no rule knows shows as idle. Written from what these programs print.
 */
import { entryIn } from '../../../contract/json.ts';
import type { Rule } from '../rule.ts';
import { CLAUDE } from './claude.ts';
import { CODEX } from './codex.ts';
import { GENERIC } from './common.ts';
import { COPILOT } from './copilot.ts';
import { CURSOR } from './cursor.ts';
import { GEMINI } from './gemini.ts';
import { OPENCODE } from './opencode.ts';
import { PI } from './pi.ts';

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
  pi: PI,
  copilot: COPILOT,
  cursor: CURSOR,
};

/** The rules of an agent by its label; agents without their own get the generic ones. */
export function rulesFor(label: string): readonly Rule[] {
  return entryIn(RULES, label) ?? GENERIC;
}
