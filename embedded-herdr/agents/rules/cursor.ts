import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, rule, SELF_REPORTED } from './common.ts';

export const CURSOR: readonly Rule[] = [
  rule('waiting-for-approval', 'blocked', DIALOG, { text: 'Waiting for approval' }),
  rule('run-command', 'blocked', DIALOG, {
    all: [{ regex: /\bRun this command\?/i }, { regex: /\((?:y|enter)\)|\bRun \(once\)/i }],
  }),
  rule('trust', 'blocked', DIALOG, { regex: /\bTrust this workspace\b/i }),
  rule('stop-hint', 'working', FOOTER, { regex: /\bctrl\+c to stop\b/i }),
  rule('spinner-line', 'working', DIALOG, {
    regex: /^\s*[\u2801-\u28ff⬡⬢]+\s+(?:Generating|Thinking|Running|Working)\b/mu,
  }),
  ...SELF_REPORTED,
];
