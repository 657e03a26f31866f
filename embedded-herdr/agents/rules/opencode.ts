import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, rule, SELF_REPORTED } from './common.ts';

export const OPENCODE: readonly Rule[] = [
  rule('permission', 'blocked', DIALOG, {
    all: [{ text: 'Permission required' }, { text: 'Allow once' }, { text: 'Reject' }],
  }),
  rule('question', 'blocked', FOOTER, { regex: /\benter (?:submit|confirm)\b.*\besc dismiss\b/i }),
  rule('interrupt-hint', 'working', FOOTER, { regex: /\besc(?: again)?(?: to)? interrupt\b/i }),
  ...SELF_REPORTED,
];
