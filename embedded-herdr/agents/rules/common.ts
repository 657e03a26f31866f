import type { Matcher, Region, Rule, RuleState } from '../rule.ts';

/** Priorities: a viewer hides everything; a question outranks the spinner above it; a spinner outranks silence. */
const KEEP = 30;
const BLOCKED = 20;
const WORKING = 10;

const PRIORITY: Readonly<Record<RuleState, number>> = { keep: KEEP, blocked: BLOCKED, working: WORKING, idle: 5 };

export const rule = (id: string, state: RuleState, region: Region, when: Matcher): Rule => ({
  id,
  state,
  priority: PRIORITY[state],
  region,
  when,
});

/** Footer and dialog stand within the last lines; older text above may quote anything. */
export const FOOTER: Region = { lastLines: 8 };
export const DIALOG: Region = { lastLines: 16 };

/** A numbered or marked choice with the cursor on one of its lines: a dialog waits for a key. */
export const MARKED_CHOICE: Matcher = { regex: /^[\s│┃|]*[❯›▌>●→]\s*(?:\d+[.)]\s*)?\S/mu };

/** An agent that says of itself by title spinner or progress report that it runs. */
export const SELF_REPORTED: readonly Rule[] = [
  rule('title-spinner', 'working', 'title', { titleSpins: true }),
  rule('osc-progress', 'working', 'title', { progressing: true }),
];

/** For agents without rules of their own: only the phrases that many of them share. */
export const GENERIC: readonly Rule[] = [
  ...SELF_REPORTED,
  rule('interrupt-hint', 'working', FOOTER, { regex: /\besc(?:ape)? to (?:interrupt|cancel|stop)\b/i }),
  rule('approval-choice', 'blocked', DIALOG, {
    all: [
      MARKED_CHOICE,
      { regex: /\b(?:do you want to|allow (?:this|command|execution)|approve|permission required)\b/i },
      { regex: /\b(?:yes|allow|approve)\b/i },
      { regex: /\b(?:no|deny|reject|cancel)\b/i },
    ],
  }),
];
