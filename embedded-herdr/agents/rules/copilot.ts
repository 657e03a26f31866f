import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, MARKED_CHOICE, rule, SELF_REPORTED } from './common.ts';

export const COPILOT: readonly Rule[] = [
  rule('permission', 'blocked', DIALOG, {
    all: [{ regex: /\bDo you want to (?:run|allow|edit|create|use|fetch)\b/i }, MARKED_CHOICE, { regex: /\bYes\b/i }],
  }),
  rule('trust', 'blocked', DIALOG, {
    all: [{ regex: /\bDo you trust the files in this folder\b/i }, MARKED_CHOICE],
  }),
  rule('confirm-footer', 'blocked', FOOTER, { regex: /\bConfirm with number keys or\b/i }),
  rule('cancel-hint', 'working', DIALOG, { regex: /\(\s*esc to cancel\b/i }),
  ...SELF_REPORTED,
];
