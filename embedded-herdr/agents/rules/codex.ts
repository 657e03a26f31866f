import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, MARKED_CHOICE, rule, SELF_REPORTED } from './common.ts';

export const CODEX: readonly Rule[] = [
  rule('transcript', 'keep', 'screen', { text: 'T R A N S C R I P T' }),
  rule('run-command', 'blocked', DIALOG, {
    all: [{ regex: /\b(?:Would you like to|Allow (?:command|Codex to))\b[^\n]*\?/i }, MARKED_CHOICE],
  }),
  rule('confirm-footer', 'blocked', FOOTER, { regex: /\bPress enter to confirm or esc to (?:cancel|go back)\b/i }),
  rule('question', 'blocked', FOOTER, { regex: /\benter to submit answer\b/i }),
  rule('interrupt-hint', 'working', DIALOG, { regex: /\(\s*(?:\d+[hms]\s*)+[•·]\s*esc to interrupt\b/i }),
  rule('interrupt-words', 'working', FOOTER, { regex: /\besc to interrupt\b/i }),
  ...SELF_REPORTED,
];
