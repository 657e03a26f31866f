import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, MARKED_CHOICE, rule, SELF_REPORTED } from './common.ts';

export const CLAUDE: readonly Rule[] = [
  rule('transcript', 'keep', FOOTER, { text: 'Showing detailed transcript' }),
  rule('permission', 'blocked', DIALOG, {
    all: [{ regex: /\bDo you want to\b[^\n]*\?/i }, MARKED_CHOICE, { regex: /\b1\.\s*Yes\b/i }],
  }),
  rule('plan', 'blocked', DIALOG, {
    all: [{ regex: /\bWould you like to proceed\?/i }, MARKED_CHOICE, { regex: /\b1\.\s*Yes\b/i }],
  }),
  rule('trust', 'blocked', DIALOG, {
    all: [{ regex: /\btrust (?:the files in )?this folder\b/i }, MARKED_CHOICE, { regex: /\bYes\b/i }],
  }),
  rule('question', 'blocked', FOOTER, { regex: /\bEnter to select\b.*\bEsc to cancel\b/i }),
  rule('interrupt-hint', 'working', FOOTER, { regex: /\besc to interrupt\b/i }),
  rule('spinner-line', 'working', DIALOG, { regex: /^\s*[·✢✳✶✻✽*]\s+\S+…\s*\(/mu }),
  ...SELF_REPORTED,
];
