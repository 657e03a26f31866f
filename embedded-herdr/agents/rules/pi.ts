import type { Rule } from '../rule.ts';
import { DIALOG, FOOTER, MARKED_CHOICE, rule, SELF_REPORTED } from './common.ts';

export const PI: readonly Rule[] = [
  rule('selector', 'blocked', DIALOG, {
    all: [{ regex: /\?\s*$/m }, { regex: /^\s*(?:→|❯)\s*(?:Yes|No|Allow)\b/mu }, MARKED_CHOICE],
  }),
  rule('working', 'working', 'screen', { text: 'Working...' }),
  rule('interrupt-hint', 'working', FOOTER, { regex: /\(esc to (?:interrupt|cancel)\)/i }),
  ...SELF_REPORTED,
];
