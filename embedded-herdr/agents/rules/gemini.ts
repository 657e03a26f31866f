import type { Rule } from '../rule.ts';
import { DIALOG, MARKED_CHOICE, rule, SELF_REPORTED } from './common.ts';

export const GEMINI: readonly Rule[] = [
  rule('waiting-for-confirmation', 'blocked', DIALOG, { text: 'Waiting for user confirmation' }),
  rule('allow-once', 'blocked', DIALOG, {
    all: [{ regex: /\b(?:Apply this change|Allow execution of|Do you want to proceed)\b/i }, MARKED_CHOICE],
  }),
  rule('trust', 'blocked', DIALOG, { all: [{ text: 'Do you trust this folder' }, MARKED_CHOICE] }),
  rule('cancel-hint', 'working', DIALOG, { regex: /\(esc to cancel(?:, (?:\d+[hms]\s*)+)?\)/i }),
  ...SELF_REPORTED,
];
